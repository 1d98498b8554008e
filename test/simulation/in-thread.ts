import { Worker } from 'node:worker_threads';
import type { ShardOptions, ShardReport } from './shard.ts';

/** Runs a shard on a thread of its own, with the loader of Node: there each process has modules of its own, which vitest cannot give it. */
export function runInThread(workerData: ShardOptions): Promise<ShardReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, env: threadEnv() });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** The variables of this process, without the one by which vitest is known. */
function threadEnv(): NodeJS.ProcessEnv {
  const { VITEST: _vitest, ...env } = process.env;
  return env;
}
