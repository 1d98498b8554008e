import type { TestReport, TestsState } from '../../inspect/tests/test-report.ts';

/** Runs the tests of the profiles that a server loaded from a folder. */
export interface ProfileTests {
  /** Runs them, or waits for a run in progress; tests that fail are part of the report. */
  readonly run: () => Promise<TestReport>;
  /** Returns what is known of them; the report only when the client's, of round `known`, is not the last one. */
  readonly state: (known: number) => Promise<TestsState>;
}
