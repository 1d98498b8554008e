import { parentPort, workerData } from 'node:worker_threads';
import { answerOf } from './job-answer.ts';

/** Runs a worker thread: does the work on its input and answers once. */
export async function answerJob(work: (input: unknown) => unknown): Promise<void> {
  const answer = await answerOf(() => work(workerData));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not between windows
  parentPort?.postMessage(answer);
}
