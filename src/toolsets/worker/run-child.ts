import { fork } from 'node:child_process';
import { CadreError, describeThrown } from '../../core/error.ts';
import { jobFile, type JobAnswer } from './job-answer.ts';

/** Work in a process of its own: native code cannot be stopped on a thread (FAULTS X7). */
export interface ChildJob {
  /** The file of the process, without its extension: `new URL('./query-worker', import.meta.url)`. */
  readonly file: URL;
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly maxMemoryMb: number;
  readonly signal: AbortSignal;
  /** What is being done, for messages: "The query". */
  readonly what: string;
}

const permissions = ['--permission', '--allow-fs-read=*', '--allow-worker', '--allow-addons'];

/** What the process is sent. */
export interface ChildInput {
  readonly input: unknown;
  /** It ends itself after this time, should nobody be left to end it. */
  readonly lastsMs: number;
}

/**
 * Does a piece of work in its own process and resolves with its answer; the process is over afterwards, whatever happened. It has
 * none of this one's environment.
 *
 * @throws CadreError with the work's code, or `TOOL_FAILED` when it ran out of time or memory; the signal's reason when it aborts
 */
export async function runChild(job: ChildJob): Promise<unknown> {
  job.signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
  const child = fork(jobFile(job.file), {
    env: { TZ: process.env['TZ'] ?? 'UTC', LANG: 'C.UTF-8' },
    // It may read, and nothing else: neither write nor start programs. Node holds it to that; the boundary is what the work itself allows.
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
    const why = signal === 'SIGABRT' ? `needed more than ${job.maxMemoryMb} MB of memory` : 'ended without a result';
    reject(failed(`${job.what} ${why}.`));
    exited.resolve();
  });
  child.send({ input: job.input, lastsMs: job.timeoutMs + 2_000 } satisfies ChildInput, (thrown) => {
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
