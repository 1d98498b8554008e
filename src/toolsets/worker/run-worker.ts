import { Worker } from 'node:worker_threads';
import { CadreError, describeThrown } from '../../core/error.ts';
import { jobFile, type JobAnswer } from './job-answer.ts';

/** Work for a separate thread, where it can be stopped and cannot use up all memory (FAULTS X7). */
export interface WorkerJob {
  /** File of the worker, without its extension, as an absolute URL: `new URL('./markdown-worker', import.meta.url)`. */
  readonly file: URL;
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly maxMemoryMb: number;
  readonly signal: AbortSignal;
  /** Name of the work in messages: "the query". */
  readonly what: string;
}

/**
 * Does work on a separate thread and resolves with its result; the thread is over afterwards, whatever happened.
 *
 * @throws CadreError with the code of the work, or `TOOL_FAILED` when it ran out of time or memory; the reason of the signal on abort
 */
export async function runWorker(job: WorkerJob): Promise<unknown> {
  job.signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
  const worker = new Worker(jobFile(job.file), {
    workerData: job.input,
    // The thread gets nothing from this process: neither its environment nor its flags, nor its standard streams.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: job.maxMemoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  const stop = (): void => reject(job.signal.reason as Error);
  const timer = setTimeout(
    () => reject(failed(`${job.what} took longer than ${job.timeoutMs / 1000} s and was stopped.`)),
    job.timeoutMs,
  );
  job.signal.addEventListener('abort', stop, { once: true });
  worker.once('message', resolve);
  worker.on('error', (thrown) => reject(failed(`${job.what} failed: ${inWords(thrown, job.maxMemoryMb)}`)));
  worker.once('exit', () => reject(failed(`${job.what} ended without a result.`)));
  try {
    const answer = await promise;
    if (answer.ok) return answer.value;
    throw new CadreError(answer.code, answer.message);
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function inWords(thrown: unknown, maxMemoryMb: number): string {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return `it needed more than ${maxMemoryMb} MB of memory.`;
  return describeThrown(thrown);
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}
