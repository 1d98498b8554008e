import type { ChildProcess } from 'node:child_process';
import { CadreError, describeThrown } from '../../core/error.ts';
import { forkOwn } from '../../files/programs/start-process.ts';
import { createMemoryGroup } from '../process/memory-group.ts';
import { ChildMemory } from './child-memory.ts';
import { jobFile, type JobAnswer } from './job-answer.ts';

/** Work for a separate process: native code cannot be stopped on a thread, nor its memory be bounded (FAULTS X7). */
export interface ChildJob {
  /** File of the process, without its extension: `new URL('./query-worker', import.meta.url)`. */
  readonly file: URL;
  readonly input: unknown;
  readonly timeoutMs: number;
  /** Most memory of the whole process, measured from outside. */
  readonly maxMemoryMb: number;
  readonly signal: AbortSignal;
  /** Name of the work in messages: "The query". */
  readonly what: string;
  /** What to do when it needs too much memory, as sentences: "Narrow it." */
  readonly advice?: string;
}

const permissions = ['--permission', '--allow-fs-read=*', '--allow-worker', '--allow-addons'];
/** Signals by which V8 ends a process that has no more room on its heap. */
const endsOfHeap: ReadonlySet<string | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
/** Memory that a process may have beyond its limit before it ends itself: for a parent that is gone, busy or without `/proc`. */
const ownLimitMb = 128;

/** Message to the process. */
export interface ChildInput {
  readonly input: unknown;
  /** Process that waits for the answer; without it, this one is needless. */
  readonly parent: number;
  /** Time after which the process kills itself, in case its parent has died, in milliseconds. */
  readonly lastsMs: number;
  /** Memory at which the process kills itself, in bytes. */
  readonly maxResidentBytes: number;
}

/**
 * Does work in a separate process and resolves with its result; the process is over afterwards, whatever happened. It does not inherit
 * the environment of this process. Its memory is bounded from outside: by a group of the kernel where `createGroup` can make one, else by
 * measuring it.
 *
 * @throws CadreError with the code of the work, or `TOOL_FAILED` when it ran out of time or memory; the reason of the signal on abort
 */
export async function runChild(job: ChildJob, createGroup = createMemoryGroup): Promise<unknown> {
  job.signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
  const child = start(job);
  const kill = (): void => void child.kill('SIGKILL');
  const memory = child.pid === undefined ? undefined : new ChildMemory(child.pid, job.maxMemoryMb * 1024 ** 2, createGroup, kill);
  const exited = Promise.withResolvers<void>();
  const stop = (): void => reject(job.signal.reason as Error);
  const timer = setTimeout(
    () => reject(failed(`${job.what} took longer than ${job.timeoutMs / 1_000} s and was stopped.`)),
    job.timeoutMs,
  );
  job.signal.addEventListener('abort', stop, { once: true });
  child.once('message', (answer) => resolve(answer as JobAnswer));
  child.once('error', (thrown) => {
    reject(failed(`${job.what} could not be started: ${describeThrown(thrown)}`));
    exited.resolve();
  });
  child.once('exit', (code, signal) => {
    const isTooLarge = memory?.close() === true || endsOfHeap.has(signal);
    reject(failed(`${job.what} ${whyEnded(job, isTooLarge, signal ?? `exit code ${code}`)}`));
    exited.resolve();
  });
  child.send(messageOf(job), (thrown) => {
    if (thrown !== null) reject(failed(`${job.what} could not be begun: ${describeThrown(thrown)}`));
  });
  try {
    const answer = await promise;
    if (answer.ok) return answer.value;
    throw new CadreError(answer.code, answer.message);
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener('abort', stop);
    kill();
    await exited.promise;
    memory?.close();
  }
}

function start({ file, maxMemoryMb }: ChildJob): ChildProcess {
  return forkOwn(jobFile(file), {
    // It may only read: neither write files nor start programs. Node enforces that as a second line; the work itself is the boundary.
    // The heap gets less than the whole, so that it is cleared before the process is too large.
    execArgv: [`--max-old-space-size=${Math.floor(maxMemoryMb * 0.75)}`, '--no-warnings', ...permissions],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function messageOf({ input, timeoutMs, maxMemoryMb }: ChildJob): ChildInput & object {
  return {
    input,
    parent: process.pid,
    lastsMs: timeoutMs + 2_000,
    maxResidentBytes: (maxMemoryMb + ownLimitMb) * 1024 ** 2,
  };
}

function whyEnded({ maxMemoryMb, advice }: ChildJob, isTooLarge: boolean, how: string): string {
  if (!isTooLarge && how !== 'SIGKILL') return `ended without a result (${how}).`;
  const next = advice === undefined ? '' : ` ${advice}`;
  if (isTooLarge) return `needed more than ${maxMemoryMb} MB of memory and was stopped.${next}`;
  return `was killed: it needed more than ${maxMemoryMb} MB of memory, or the system had no more.${next}`;
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}
