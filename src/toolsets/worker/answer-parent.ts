import { serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { CadreError } from '../../core/error.ts';
import { answerOf } from './job-answer.ts';
import type { ChildInput } from './run-child.ts';

/** Largest answer, in bytes: the parent has no bound on its own memory. */
const maxAnswerBytes = 64 * 1024 ** 2;

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
    void answerOf(async () => bounded(await work(input))).then((answer) => process.send?.(answer));
  });
}

function bounded(value: unknown): unknown {
  if (serialize(value).byteLength <= maxAnswerBytes) return value;
  throw new CadreError('TOOL_FAILED', 'The result is larger than 64 MB: ask for less at a time.');
}
