import type { JsonObject } from '../../core/json.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import {
  behaviourKinds,
  type CoverageCounts,
  type FailedCase,
  type TestedBehaviour,
  type TestedProfile,
  type TestFailure,
  type TestRef,
  type TestReport,
  type TestsState,
} from '../../inspect/tests/test-report.ts';
import { count, flag, listOf, maybe, named, number, recordOf, text, texts, time } from './schema-record.ts';

const place = recordOf<SourceRef>({ file: text, line: count, column: count });
const counted = recordOf<CoverageCounts['rules']>({ exercised: count, total: count });
const counts = recordOf<CoverageCounts>({
  rules: counted,
  observers: counted,
  segments: counted,
  strategies: counted,
  tools: counted,
  gates: counted,
});

/** Schemas of tests of profiles, by their names in the API's description. */
export const testSchemas: Readonly<Record<string, JsonObject>> = {
  TestsState: recordOf<TestsState>({
    isRunning: flag,
    round: { type: 'integer', minimum: 0, description: 'Number of finished runs of the tests by this server.' },
    isChanged: { type: 'boolean', description: 'Profiles or tests were written after the last run of the tests began.' },
    isFollowing: { type: 'boolean', description: 'The page runs the tests again after a change (cadre dev).' },
    report: maybe(named('TestReport')),
  }),
  TestReport: recordOf<TestReport>({
    folder: text,
    at: time,
    ms: number,
    passed: count,
    failed: count,
    problems: texts,
    failures: listOf(
      recordOf<FailedCase>({
        file: text,
        name: text,
        profile: text,
        failures: listOf(recordOf<TestFailure>({ at: place, message: text, expected: maybe(text), actual: maybe(text) })),
      }),
    ),
    counts: maybe(counts),
    profiles: listOf(
      recordOf<TestedProfile>({
        profile: text,
        counts,
        behaviours: listOf(
          recordOf<TestedBehaviour>({
            kind: { enum: [...behaviourKinds] },
            id: text,
            at: place,
            tests: count,
            by: listOf(recordOf<TestRef>({ name: text, at: place })),
          }),
        ),
      }),
    ),
  }),
};
