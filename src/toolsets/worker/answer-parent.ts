import { Worker } from 'node:worker_threads';
import { answerOf } from './job-answer.ts';
import type { ChildInput } from './run-child.ts';

/** Runs a child process: does the work on its input and answers once. */
export function answerParent(work: (input: unknown) => unknown): void {
  process.once('message', (message) => {
    const { input, lastsMs } = message as ChildInput;
    // Runs on a separate thread: this one may be inside native code, and the parent may have died.
    const guard = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), require('node:worker_threads').workerData)`;
    new Worker(guard, { eval: true, workerData: lastsMs }).unref();
    void answerOf(() => work(input)).then((answer) => process.send?.(answer));
  });
}
