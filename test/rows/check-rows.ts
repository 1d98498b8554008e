import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyHunk, parsePatch } from '../simulation/patch.ts';
import { readRemoval, removals, type Removal } from './removals.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What is not copied: installed packages are linked, the rest is made by commands. */
const left: ReadonlySet<string> = new Set(['node_modules', '.git', 'dist', 'coverage', 'test-results', '.cadre']);

/** What became of the tests that cite one row, with its mechanism removed. */
export interface RowFinding {
  readonly row: string;
  readonly kind: 'counts' | 'hollow' | 'skipped' | 'uncited';
  readonly failed: number;
  readonly passed: number;
}

/**
 * Removes one mechanism after the other from a copy of the source, runs the tests that cite its rows, and says of each row whether a
 * test noticed. `words` choose removals by parts of their names. The answer is an exit code: 0 when every row counts.
 */
export async function checkRows(words: readonly string[]): Promise<number> {
  const chosen = (await removals()).filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  const findings: RowFinding[] = [];
  for (const name of chosen) {
    const removal = await readRemoval(name);
    const found = await tryRemoval(removal).catch((thrown: unknown) => {
      console.log(`BROKEN  ${name}: ${String(thrown).slice(0, 300)}`);
      return removal.rows.map((row): RowFinding => ({ row, kind: 'uncited', failed: 0, passed: 0 }));
    });
    for (const finding of found) console.log(line(name, finding));
    findings.push(...found);
  }
  const counting = findings.filter(({ kind }) => kind === 'counts').length;
  const skipped = findings.filter(({ kind }) => kind === 'skipped').map(({ row }) => row);
  console.log(`\n${counting} of ${findings.length} rows count: a test that cites them fails when their mechanism is removed`);
  if (skipped.length > 0)
    console.log(`not checked, since every test that cites them is skipped on this machine: ${skipped.join(' ')}`);
  return counting + skipped.length === findings.length ? 0 : 1;
}

function line(name: string, { row, kind, failed, passed }: RowFinding): string {
  const verdict = { counts: 'counts ', hollow: 'HOLLOW ', skipped: 'skipped', uncited: 'UNCITED' }[kind];
  return `${verdict} ${row.padEnd(28)} ${failed} failed, ${passed} passed (${name})`;
}

async function tryRemoval(removal: Removal): Promise<readonly RowFinding[]> {
  const copy = await copyProject();
  try {
    for (const hunk of parsePatch(removal.text)) {
      const file = path.join(copy, hunk.file);
      await writeFile(file, applyHunk(await readFile(file, 'utf8'), hunk));
    }
    const tests = await citingTests(copy, removal.rows);
    return removal.rows.map((row) =>
      judge(
        row,
        tests.filter(({ title }) => title.includes(`[${row}]`)),
      ),
    );
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function judge(row: string, tests: readonly CitingTest[]): RowFinding {
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const passed = tests.filter(({ status }) => status === 'passed').length;
  if (tests.length === 0) return { row, kind: 'uncited', failed, passed };
  if (failed > 0) return { row, kind: 'counts', failed, passed };
  return { row, kind: passed > 0 ? 'hollow' : 'skipped', failed, passed };
}

async function copyProject(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'cadre-rows-'));
  for (const entry of await readdir(root))
    if (!left.has(entry)) await cp(path.join(root, entry), path.join(copy, entry), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

interface CitingTest {
  readonly title: string;
  readonly status: string;
}

/** Runs the tests whose titles cite one of the rows; those of other rows are not run. */
async function citingTests(folder: string, rows: readonly string[]): Promise<readonly CitingTest[]> {
  const files = await filesCiting(path.join(folder, 'test'), rows);
  if (files.length === 0) return [];
  const output = path.join(folder, 'report.json');
  const pattern = rows.map((row) => `\\[${row.replaceAll('.', '\\.')}\\]`).join('|');
  const words = ['vitest', 'run', ...files, '-t', pattern, '--reporter=json', `--outputFile=${output}`];
  const child = spawn('npx', words, { cwd: folder, stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  const report = JSON.parse(await readFile(output, 'utf8')) as {
    readonly testResults: readonly {
      readonly name: string;
      readonly message?: string;
      readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
    }[];
  };
  const broken = report.testResults.find(({ assertionResults }) => assertionResults.length === 0);
  if (broken !== undefined) throw new Error(`${path.relative(folder, broken.name)} does not load: ${broken.message ?? ''}`);
  return report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ fullName }) => rows.some((row) => fullName.includes(`[${row}]`)))
      .map(({ fullName, status }) => ({ title: fullName, status })),
  );
}

async function filesCiting(folder: string, rows: readonly string[]): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  const files = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8');
      return rows.some((row) => text.includes(`[${row}]`)) ? [path.join('test', name)] : [];
    }),
  );
  return files.flat();
}
