import { faultRows, type NamedTest } from '../docs/fault-rows.ts';
import { runVitest, type TestReport } from './run-vitest.ts';

/** What the rows of docs/faults.md came to. */
export interface FaultTable {
  readonly rows: number;
  readonly tests: number;
  /** Rows a test of which failed or did not run. */
  readonly failed: readonly string[];
}

/** Suites of a port lie in files of their own and run from this one. */
const contractRunner = 'test/contracts/journal.test.ts';

/** Runs every test that docs/faults.md names. */
export async function runFaultTable(): Promise<FaultTable> {
  const rows = faultRows();
  const reports = await runVitest([...new Set(rows.flatMap(({ tests }) => tests.map(fileOf)))]);
  const shown = rows.map(({ fault, tests }) => ({
    fault,
    reports: tests.map((test) => reports.filter((report) => isOf(test, report))),
  }));
  return {
    rows: rows.length,
    tests: new Set(shown.flatMap((row) => row.reports.flat())).size,
    failed: shown
      .filter((row) => row.reports.some((found) => found.length === 0 || found.some(({ passed }) => !passed)))
      .map(({ fault }) => fault),
  };
}

function fileOf({ file }: NamedTest): string {
  return file.endsWith('.test.ts') ? file : contractRunner;
}

function isOf(test: NamedTest, { file, title }: TestReport): boolean {
  const pattern = test.words
    .split(/(?:%[a-z]|\$\{[^}]*\})/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return file === fileOf(test) && new RegExp(pattern, 's').test(title);
}
