import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunVerdict } from './check-run.ts';

/** How much is killed. */
export interface SweepSize {
  /** Kill at every n-th write, before and after it. */
  readonly everyWrite: number;
  /** Processes that are killed at a random instant. */
  readonly random: number;
  /** Processes that are killed a second time while they recover. */
  readonly recovery: number;
  readonly seed: number;
  /** Told after each batch how many of the planned jobs are done. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** What a sweep came to. */
export interface SweepReport {
  readonly processes: number;
  /** Runs that had something to do when their process was killed: the kills that count. */
  readonly kills: number;
  readonly resumed: number;
  readonly lost: number;
  readonly repeated: number;
  readonly writes: number;
  readonly seen: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  readonly ms: number;
}

/** Runs of one process: a kill interrupts all of them, each wherever it is. */
const runsAtOnce = 4;
/** Killed processes whose runs one process takes up. */
const processesPerCheck = 5;
const workers = 2;

type Kill = { readonly at: string } | { readonly afterMs: number };
type Job = readonly Kill[];

/**
 * Kills real processes of the bundled team at every write of their journals and at random instants, once or while they recover
 * from the first kill; takes the runs up in new processes; and holds every one against the run nobody interrupted.
 */
export async function killSweep(folder: string, size: SweepSize): Promise<SweepReport> {
  const began = performance.now();
  writeDocuments(folder);
  const first = path.join(folder, 'uninterrupted');
  mkdirSync(first);
  const [whole] = await checkFolders(folder, [first]);
  if (whole === undefined || whole.problems.length > 0)
    throw new Error(`the uninterrupted run is wrong: ${whole?.problems.join('; ') ?? ''}`);
  const { writes, playMs } = await measure(folder);
  const jobs = planJobs(size, writes, playMs);
  const verdicts: RunVerdict[] = [];
  let processes = 0;
  let done = 0;
  const queue = jobs.map((job, index) => ({ job, index }));
  const work = async (): Promise<void> => {
    for (;;) {
      const batch = queue.splice(0, processesPerCheck);
      if (batch.length === 0) return;
      const folders: string[] = [];
      for (const { job, index } of batch) {
        const own = Array.from({ length: runsAtOnce }, (_, run) => path.join(folder, `${index}-${run}`));
        for (const place of own) mkdirSync(place);
        for (const kill of job) if (await playAndKill(folder, own, kill)) processes += 1;
        folders.push(...own);
      }
      verdicts.push(...(await checkFolders(folder, folders)));
      done += batch.length;
      size.onProgress?.(done, jobs.length);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return summary(verdicts, whole.report, { processes, writes, ms: performance.now() - began });
}

function planJobs(size: SweepSize, writes: number, playMs: number): Job[] {
  const random = randomOf(size.seed);
  const jobs: Job[] = [];
  for (let write = 1; write <= writes; write += size.everyWrite) jobs.push([{ at: `${write}:before` }], [{ at: `${write}:after` }]);
  for (let index = 0; index < size.random; index += 1) jobs.push([{ afterMs: random() * playMs }]);
  for (let index = 0; index < size.recovery; index += 1) {
    const side = random() < 0.5 ? 'before' : 'after';
    jobs.push([{ afterMs: random() * playMs }, { at: `${1 + Math.floor(random() * 3)}:${side}` }]);
  }
  return jobs;
}

/** Writes of one uninterrupted run, and how long a process is at play with its runs. */
async function measure(folder: string): Promise<{ readonly writes: number; readonly playMs: number }> {
  const own = Array.from({ length: runsAtOnce }, (_, run) => path.join(folder, `measured-${run}`));
  for (const place of own) mkdirSync(place);
  const child = start('team-process.ts', [folder, ...own]);
  await once(child.stdout ?? child, 'data');
  const began = performance.now();
  await once(child, 'exit');
  const { readLedger } = await import('./ledger.ts');
  const counts = own.map((place) => readLedger(place).filter(({ kind }) => kind === 'acknowledged').length);
  return { writes: Math.min(...counts), playMs: performance.now() - began };
}

/** Plays the runs of some folders in a process that is killed; false when it was faster than its killer. */
async function playAndKill(root: string, folders: readonly string[], kill: Kill): Promise<boolean> {
  const child = start('team-process.ts', [root, ...folders], 'at' in kill ? { KILL_AT: kill.at } : {});
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  if ('afterMs' in kill) {
    await Promise.race([once(child.stdout ?? child, 'data'), exited]);
    setTimeout(() => child.kill('SIGKILL'), kill.afterMs);
  }
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`a process of the team failed with ${code ?? signal}`);
  return signal === 'SIGKILL';
}

async function checkFolders(root: string, folders: readonly string[]): Promise<readonly RunVerdict[]> {
  const child = start('check-process.ts', [root, ...folders]);
  let said = '';
  child.stdout?.on('data', (data: Buffer) => (said += data.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the checking process failed with ${code}: ${said.slice(-2_000)}`);
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunVerdict);
}

function start(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [path.join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: path.join(path.dirname(args[0] ?? ''), 'cadre-kill-compile-cache'),
      ...env,
    },
  });
}

function summary(
  verdicts: readonly RunVerdict[],
  report: string,
  facts: Pick<SweepReport, 'processes' | 'writes' | 'ms'>,
): SweepReport {
  const killed = verdicts.filter(({ interrupted }) => interrupted);
  const problems = verdicts.flatMap((verdict) => [
    ...verdict.problems.map((problem) => `${verdict.folder}: ${problem}`),
    ...(verdict.report === report ? [] : [`${verdict.folder}: its report is not that of the uninterrupted run`]),
  ]);
  const seen: Record<string, number> = {};
  for (const verdict of killed) for (const [what, times] of Object.entries(verdict.seen)) seen[what] = (seen[what] ?? 0) + times;
  return {
    ...facts,
    kills: killed.length,
    resumed: killed.filter((verdict) => verdict.report === report).length,
    lost: problems.filter((problem) => /: T1: |: I\d+/.test(problem)).length,
    repeated: problems.filter((problem) => problem.includes(': T2: ')).length,
    seen: { 'begun before anything was written': killed.filter(({ begun }) => !begun).length, ...seen },
    problems,
  };
}

function writeDocuments(folder: string): void {
  mkdirSync(path.join(folder, 'docs'), { recursive: true });
  for (const name of ['balcony', 'garden', 'greenhouse'])
    writeFileSync(
      path.join(folder, 'docs', `${name}.md`),
      `# Tomatoes in the ${name}\n\n## Water\n\nWater tomatoes in pots in the ${name} deeply every day in summer.\n`,
    );
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
