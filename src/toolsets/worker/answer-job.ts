import { parentPort, workerData } from 'node:worker_threads';
import { answerOf } from './job-answer.ts';

/** The whole of a worker: does its work on what it was given, and answers once. */
export async function answerJob(work: (input: unknown) => unknown): Promise<void> {
  const answer = await answerOf(() => work(workerData));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not between windows
  parentPort?.postMessage(answer);
}
