import { CadreError, describeThrown } from '../../core/error.ts';
import { forkOwn } from '../../files/programs/start-process.ts';
import { jobFile, type JobAnswer } from './job-answer.ts';

/** Work for a separate process, since native code cannot be stopped on a thread (FAULTS X7). */
export interface ChildJob {
  /** File of the process, without its extension: `new URL('./query-worker', import.meta.url)`. */
  readonly file: URL;
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly maxMemoryMb: number;
  /** Most memory of the whole process; without it, only that of its heap (`maxMemoryMb`) is bounded. */
  readonly maxResidentMb?: number;
  readonly signal: AbortSignal;
  /** Name of the work in messages: "The query". */
  readonly what: string;
}

const permissions = ['--permission', '--allow-fs-read=*', '--allow-worker', '--allow-addons'];

/** Message to the process. */
export interface ChildInput {
  readonly input: unknown;
  /** Time after which the process kills itself, in case its parent has died, in milliseconds. */
  readonly lastsMs: number;
  /** Memory at which the process kills itself, in bytes; unbounded when absent. */
  readonly maxResidentBytes?: number;
}

/**
 * Does work in a separate process and resolves with its result; the process is over afterwards, whatever happened. It does not inherit
 * the environment of this process.
 *
 * @throws CadreError with the code of the work, or `TOOL_FAILED` when it ran out of time or memory; the reason of the signal on abort
 */
export async function runChild(job: ChildJob): Promise<unknown> {
  job.signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
  const child = forkOwn(jobFile(job.file), {
    // It may only read: neither write files nor start programs. Node enforces that as a second line; the work itself is the boundary.
    execArgv: [`--max-old-space-size=${job.maxMemoryMb}`, '--no-warnings', ...permissions],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
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
  child.once('exit', (_code, signal) => {
    const limitMb = signal === 'SIGABRT' ? job.maxMemoryMb : signal === 'SIGKILL' ? job.maxResidentMb : undefined;
    const why = limitMb !== undefined ? `needed more than ${limitMb} MB of memory` : 'ended without a result';
    reject(failed(`${job.what} ${why}.`));
    exited.resolve();
  });
  const message: ChildInput = {
    input: job.input,
    lastsMs: job.timeoutMs + 2_000,
    ...(job.maxResidentMb === undefined ? {} : { maxResidentBytes: job.maxResidentMb * 1024 ** 2 }),
  };
  child.send(message, (thrown) => {
    if (thrown !== null) reject(failed(`${job.what} could not be begun: ${describeThrown(thrown)}`));
  });
  try {
    const answer = await promise;
    if (answer.ok) return answer.value;
    throw new CadreError(answer.code, answer.message);
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener('abort', stop);
    child.kill('SIGKILL');
    await exited.promise;
  }
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}
