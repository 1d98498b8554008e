import { parentPort, workerData } from 'node:worker_threads';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { WorkerAnswer } from './run-worker.ts';

/** The whole of a worker: does its work on what it was given, and answers once. */
export async function answerJob(work: (input: unknown) => unknown): Promise<void> {
  let answer: WorkerAnswer;
  try {
    answer = { ok: true, value: await work(workerData) };
  } catch (thrown) {
    answer =
      thrown instanceof CadreError
        ? { ok: false, code: thrown.code, message: thrown.message }
        : { ok: false, code: 'TOOL_FAILED', message: describeThrown(thrown) };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not between windows
  parentPort?.postMessage(answer);
}
