import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { applyHunk, parsePatch } from './patch.ts';
import type { ShardReport } from './shard.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(import.meta.dirname, 'mutants');

/** Simulated runs within which a planted bug must be found. */
const enoughRuns = 3_000;
/** Runs of a copy without a bug, in which nothing must be found: else whatever is found shows nothing. */
const controlRuns = 300;

/** Plants each bug in a copy of the source, one at a time, and simulates until it is found; answers with an exit code. */
export async function checkMutants(words: readonly string[]): Promise<number> {
  const chosen = (await mutants()).filter((name) => words.every((word) => name.includes(word)));
  const control = await tryMutant(undefined);
  if (control.isCaught) {
    console.log(`a copy without a planted bug fails, so nothing can be shown: ${control.note}`);
    return 1;
  }
  const results = await inPairs(chosen, async (name) => {
    const result = await tryMutant(name);
    console.log(`${result.isCaught ? 'caught ' : 'MISSED '} ${name.padEnd(44)} ${result.note}`);
    return result;
  });
  const caught = results.filter(({ isCaught }) => isCaught).length;
  console.log(`\n${caught} of ${results.length} planted bugs were found`);
  return caught === results.length ? 0 : 1;
}

/** The planted bugs, by the names of their patches. */
export async function mutants(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.patch')).toSorted();
}

/** Applies a patch to the source in that folder, and writes it there; throws when it does not fit any more. */
async function plant(name: string, folderOfSource: string): Promise<void> {
  for (const [file, text] of await planted(name)) await writeFile(path.join(folderOfSource, file), text);
}

/** The files a patch changes, as they are with it; throws when it does not fit any more. */
export async function planted(name: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const hunk of parsePatch(await readFile(path.join(folder, name), 'utf8'))) {
    const text = files.get(hunk.file) ?? (await readFile(path.join(root, hunk.file), 'utf8'));
    files.set(hunk.file, applyHunk(text, hunk));
  }
  if (files.size === 0) throw new Error(`${name} changes nothing`);
  return files;
}

/** Makes a copy of what the simulation needs, to plant bugs in. */
async function copySource(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'cadre-mutant-'));
  for (const part of ['src', 'test/simulation', 'test/support', 'prices', 'package.json'])
    await cp(path.join(root, part), path.join(copy, part), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** Simulates a copy with a planted bug, or without one. */
async function tryMutant(name: string | undefined): Promise<{ readonly isCaught: boolean; readonly note: string }> {
  const copy = await copySource();
  try {
    if (name !== undefined) await plant(name, copy);
    return await simulateIn(copy, name === undefined ? controlRuns : enoughRuns);
  } catch (error) {
    return { isCaught: false, note: `the patch does not fit: ${String(error).slice(0, 300)}` };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function simulateIn(copy: string, runs: number): Promise<{ readonly isCaught: boolean; readonly note: string }> {
  const args = ['test/simulation/cli.ts', '--workers', '1', '--runs', String(runs), '--most-failures', '1', '--json'];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: copy, maxBuffer: 1e8 }).catch(
    (failed: { readonly stdout: string; readonly stderr: string }) => failed,
  );
  try {
    const report = JSON.parse(stdout) as ShardReport;
    const [failure] = report.failures;
    if (failure === undefined) return { isCaught: false, note: `not in ${report.runs} runs` };
    const { seed, crashAt } = failure.options;
    const where = `seed ${seed}${crashAt === undefined ? '' : ` --crash-at ${crashAt}`}`;
    return {
      isCaught: true,
      note: `after ${report.runs} runs, ${where}: ${(failure.violations[0] ?? '').split('\n', 1)[0]?.slice(0, 110)}`,
    };
  } catch {
    // A bug that brings the whole process down is found as well.
    return {
      isCaught: /Error/.test(stderr),
      note: `the process broke: ${stderr
        .trim()
        .split('\n')
        .find((line) => line.includes('Error'))
        ?.slice(0, 120)}`,
    };
  }
}

async function inPairs<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.map((item, index) => ({ item, index }));
  const next = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) results[job.index] = await work(job.item);
  };
  await Promise.all([next(), next()]);
  return results;
}
