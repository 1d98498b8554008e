import type { SourceRef } from '../../core/profile/source-ref.ts';

/** Kinds of behaviour that coverage counts. */
export const behaviourKinds = ['rules', 'observers', 'segments', 'strategies', 'tools', 'gates'] as const;

/** Kind of behaviour that coverage counts. */
export type BehaviourKind = (typeof behaviourKinds)[number];

/** Behaviours of a team or of one profile, counted by kind. */
export type CoverageCounts = Readonly<Record<BehaviourKind, { readonly exercised: number; readonly total: number }>>;

/** A case of a test file. */
export interface TestRef {
  readonly name: string;
  readonly at: SourceRef;
}

/** One declared behaviour, and the tests that exercised it. */
export interface TestedBehaviour {
  readonly kind: BehaviourKind;
  readonly id: string;
  /** Place that declares it. */
  readonly at: SourceRef;
  /** Number of tests that exercised it. */
  readonly tests: number;
  /** The first of them. */
  readonly by: readonly TestRef[];
}

/** The behaviours that one profile declares. */
export interface TestedProfile {
  readonly profile: string;
  readonly counts: CoverageCounts;
  readonly behaviours: readonly TestedBehaviour[];
}

/** An expectation that does not hold. */
export interface TestFailure {
  /** Place of the expectation. */
  readonly at: SourceRef;
  /** One sentence. */
  readonly message: string;
  /** Expected and actual text, to be compared; absent when the message says it all. */
  readonly expected?: string;
  readonly actual?: string;
}

/** A case that failed. */
export interface FailedCase {
  readonly file: string;
  readonly name: string;
  readonly profile: string;
  readonly failures: readonly TestFailure[];
}

/** Result of the tests of a team, for its author: what failed, and which behaviours the tests exercised. */
export interface TestReport {
  /** Folder of the profiles, as the author named it or relative to the working folder. */
  readonly folder: string;
  /** When it was made, in milliseconds since 1970, and how long it took. */
  readonly at: number;
  readonly ms: number;
  readonly passed: number;
  readonly failed: number;
  /** Problems of test files and profiles, with file:line:column: with any, the tests are no proof. */
  readonly problems: readonly string[];
  /** The first of the cases that failed. */
  readonly failures: readonly FailedCase[];
  /** Counts of the whole team; absent when it has no tests. */
  readonly counts?: CoverageCounts;
  readonly profiles: readonly TestedProfile[];
}

/** What a server knows of the tests of its profiles. */
export interface TestsState {
  readonly isRunning: boolean;
  /** Number of finished runs of the tests by this server. */
  readonly round: number;
  /** True when profiles or tests were written after the last run of the tests began. */
  readonly isChanged: boolean;
  /** True where the page runs the tests again after a change (`cadre dev`). */
  readonly isFollowing: boolean;
  /** The last report; absent before the first one, and when the client has it. */
  readonly report?: TestReport;
}
