import type { Random } from './random.ts';

/** Every kind of fault the simulation injects, with its meaning. */
export const faultKinds = {
  'model throws': 'a provider answers with an error',
  'model hangs': 'a provider never answers, or falls silent within a stream',
  'model is cut': 'a stream breaks off within its text or its calls',
  'model ignores abort': 'a provider goes on although its call was aborted',
  'model asks nonsense': 'unknown tools, broken arguments, empty and filtered replies',
  'tool throws': 'a tool throws or rejects',
  'tool hangs': 'a tool never ends unless it is aborted',
  'tool ignores abort': 'a tool goes on although it was aborted, and brings a late result',
  'tool answers twice': 'one outcome is delivered a second time',
  'tool returns odd values': 'circular, undefined, huge',
  'tool calls back': 'a tool sends to its own run',
  'journal refuses': 'an append fails, and nothing of it was written',
  'journal forgets to say': 'an append fails although all of it was written',
  'sync fails': 'what was written cannot be synced',
  'disk full': 'nothing can be written for a while, not even that a lease is given back',
  'journal does not read': 'reading fails for a moment',
  'crash before a write': 'the process dies before an append is applied',
  'crash after a write': 'the process dies after an append, before it is told so',
  'crash between': 'the process dies at any other moment',
  'crash in recovery': 'the process dies while it takes a run up',
  'power cut': 'all processes die, and of what was not synced any part is gone',
  'torn write': 'a power cut takes the end of the log, in the middle of a write',
  'stale writer': 'a run is taken over while its old holder lives on and goes on writing',
  'rival process': 'another process wants a run whose holder is alive, and must be told that it is taken',
  'run cancelled': 'somebody cancels the run',
  'agent cancelled': 'somebody cancels one agent',
  'launch aborted': 'the signal handed to launch is aborted',
  'engine closed': 'the engine is closed in the middle of everything, and the run resumed',
  'clock jumps': 'the wall clock jumps forwards or backwards',
  'subscriber throws': 'somebody who watches the run throws',
  'ingestor throws': 'an item cannot be put into words',
  'too late': 'somebody speaks to a run, an agent or a call that is over',
} as const;

/** Faults that would end a run long before it has hundreds of turns. */
const endingFaults: ReadonlySet<FaultKind> = new Set([
  'model throws',
  'model asks nonsense',
  'run cancelled',
  'agent cancelled',
  'launch aborted',
]);

/** The name of a kind of fault. */
export type FaultKind = keyof typeof faultKinds;

/** Number of times each kind of fault was reached. */
export type FaultCounts = Partial<Record<FaultKind, number>>;

/** Faults of one run: each seed enables only some kinds, so that combinations differ (swarm testing). */
export class Faults {
  readonly counts: FaultCounts = {};
  readonly #enabled: ReadonlySet<FaultKind>;
  readonly #random: Random;
  readonly #rate: number;
  /** True when no more faults happen: everything still running must finish. */
  stopped = false;

  /** A long run has its faults further apart, and none that would end it soon. */
  constructor(random: Random, { isCalm, isLong }: { readonly isCalm: boolean; readonly isLong: boolean }) {
    this.#random = random;
    this.#rate = isLong ? 0.1 : 1;
    const drawn = (Object.keys(faultKinds) as FaultKind[]).filter(() => random.chance(0.4));
    this.#enabled = new Set(isCalm ? [] : drawn.filter((kind) => !isLong || !endingFaults.has(kind)));
  }

  /** Number of faults that happened. */
  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** True when a fault of this kind may happen in this run. */
  allows(kind: FaultKind): boolean {
    return !this.stopped && this.#enabled.has(kind);
  }

  /** Decides whether a fault happens now, and counts it. */
  strikes(kind: FaultKind, probability: number): boolean {
    if (!this.allows(kind) || !this.#random.chance(probability * this.#rate)) return false;
    this.count(kind);
    return true;
  }

  /** Counts a fault that happened by another decision. */
  count(kind: FaultKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }
}
