import path from 'node:path';
import type { TestReport } from '../../inspect/tests/test-report.ts';
import { formatDiagnostic } from '../../profiles/format-diagnostics.ts';
import type { Failure } from '../expect/failure.ts';
import type { SuiteReport } from './run-suite.ts';

/** Most cases that are listed with their failures, and most characters of a text in them. */
const [mostCases, mostChars] = [200, 100_000];

/** Returns the report of one team's tests as the page shows it. */
export function toTestReport(
  { cases, problems, coverage: [coverage] }: SuiteReport,
  { folder, at, ms }: { readonly folder: string; readonly at: number; readonly ms: number },
): TestReport {
  const failed = cases.filter(({ failures }) => failures.length > 0);
  return {
    folder: path.relative('', folder) || '.',
    at,
    ms: Math.round(ms),
    passed: cases.length - failed.length,
    failed: failed.length,
    problems: problems.map(formatDiagnostic),
    failures: failed
      .slice(0, mostCases)
      .map(({ file, name, profile, failures }) => ({ file, name, profile, failures: failures.map(cutFailure) })),
    ...(coverage === undefined ? {} : { counts: coverage.counts }),
    profiles: coverage?.profiles ?? [],
  };
}

function cutFailure({ at, message, expected, actual }: Failure): Failure {
  if (expected === undefined || actual === undefined) return { at, message };
  return { at, message, expected: expected.slice(0, mostChars), actual: actual.slice(0, mostChars) };
}
