import { Worker } from 'node:worker_threads';
import { answerOf } from './job-answer.ts';
import type { ChildInput } from './run-child.ts';

/** Runs a child process: does the work on its input and answers once. */
export function answerParent(work: (input: unknown) => unknown): void {
  process.once('message', (message) => {
    const { input, ...limits } = message as ChildInput;
    // Runs on a separate thread: this one may be inside native code, and the parent, which bounds time and memory, may have died.
    const guard = `const { parent, lastsMs, maxResidentBytes } = require('node:worker_threads').workerData;
      const end = () => process.kill(process.pid, 'SIGKILL');
      setTimeout(end, lastsMs);
      setInterval(() => (process.ppid !== parent || process.memoryUsage.rss() > maxResidentBytes) && end(), 20);`;
    new Worker(guard, { eval: true, workerData: limits }).unref();
    void answerOf(() => work(input)).then((answer) => process.send?.(answer));
  });
}
