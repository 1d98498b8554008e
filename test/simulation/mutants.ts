import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { applyHunk, parsePatch } from './patch.ts';
import type { ShardReport } from './shard.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
/** Bugs of runs in one process after the other, and of runs on workers: those begin with `cluster/`. */
const folders = { '': path.join(import.meta.dirname, 'mutants'), 'cluster/': path.join(import.meta.dirname, 'cluster/mutants') };
const isOfCluster = (name: string): boolean => name.startsWith('cluster/');

/** Simulated runs within which a planted bug must be found. */
const enoughRuns = 3_000;
/** Runs of a copy without a bug, in which nothing must be found: else whatever is found shows nothing. */
const controlRuns = 300;

/** Plants each bug in a copy of the source, one at a time, and simulates until it is found; answers with an exit code. */
export async function checkMutants(words: readonly string[]): Promise<number> {
  const chosen = (await mutants()).filter((name) => words.every((word) => name.includes(word)));
  for (const isCluster of new Set(chosen.map(isOfCluster))) {
    const control = await tryMutant(undefined, isCluster);
    if (!control.isCaught) continue;
    console.log(`a copy without a planted bug fails, so nothing can be shown: ${control.note}`);
    return 1;
  }
  const results = await inPairs(chosen, async (name) => {
    const result = await tryMutant(name, isOfCluster(name));
    console.log(`${result.isCaught ? 'caught ' : 'MISSED '} ${name.padEnd(52)} ${result.note}`);
    return result;
  });
  const caught = results.filter(({ isCaught }) => isCaught).length;
  console.log(`\n${caught} of ${results.length} planted bugs were found`);
  return caught === results.length ? 0 : 1;
}

/** The planted bugs, by the names of their patches. */
export async function mutants(): Promise<readonly string[]> {
  const names = await Promise.all(
    Object.entries(folders).map(async ([prefix, folder]) => (await readdir(folder)).map((name) => `${prefix}${name}`)),
  );
  return names
    .flat()
    .filter((name) => name.endsWith('.patch'))
    .toSorted();
}

/** Applies a patch to the source in that folder, and writes it there; throws when it does not fit any more. */
async function plant(name: string, folderOfSource: string): Promise<void> {
  for (const [file, text] of await planted(name)) await writeFile(path.join(folderOfSource, file), text);
}

/** The files a patch changes, as they are with it; throws when it does not fit any more. */
export async function planted(name: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const folder = folders[isOfCluster(name) ? 'cluster/' : ''];
  for (const hunk of parsePatch(await readFile(path.join(folder, path.basename(name)), 'utf8'))) {
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
async function tryMutant(
  name: string | undefined,
  isCluster: boolean,
): Promise<{ readonly isCaught: boolean; readonly note: string }> {
  const copy = await copySource();
  try {
    if (name !== undefined) await plant(name, copy);
    return await simulateIn(copy, name === undefined ? controlRuns : enoughRuns, isCluster);
  } catch (error) {
    return { isCaught: false, note: `the patch does not fit: ${String(error).slice(0, 300)}` };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function simulateIn(
  copy: string,
  runs: number,
  isCluster: boolean,
): Promise<{ readonly isCaught: boolean; readonly note: string }> {
  const kind = isCluster ? ['--cluster'] : [];
  const args = ['test/simulation/cli.ts', ...kind, '--workers', '1', '--runs', String(runs), '--most-failures', '1', '--json'];
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
