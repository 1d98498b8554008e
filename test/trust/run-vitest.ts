import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../docs/read-markdown.ts';

/** One test as vitest reports it. */
export interface TestReport {
  /** Relative to the project's folder. */
  readonly file: string;
  readonly title: string;
  readonly passed: boolean;
}

interface VitestJson {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs test files and tells what became of each test. */
export async function runVitest(files: readonly string[]): Promise<readonly TestReport[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-trust-'));
  const output = path.join(folder, 'report.json');
  try {
    const child = spawn('npx', ['vitest', 'run', ...files, '--reporter=json', `--outputFile=${output}`], {
      cwd: root,
      stdio: 'ignore',
    });
    await new Promise((resolve) => child.once('exit', resolve));
    const report = JSON.parse(readFileSync(output, 'utf8')) as VitestJson;
    return report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'passed' || status === 'failed')
        .map(({ fullName, status }) => ({ file: path.relative(root, name), title: fullName, passed: status === 'passed' })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
