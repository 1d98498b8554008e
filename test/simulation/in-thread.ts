import { Worker } from 'node:worker_threads';
import type { ShardOptions, ShardReport } from './shard.ts';

/** Runs a shard on a separate thread with Node's loader: there each process loads its own modules, which vitest cannot provide. */
export function runInThread(workerData: ShardOptions): Promise<ShardReport> {
  return new Promise((resolve, reject) => {
    // Runs are short-lived: a larger young generation saves a tenth of the time by avoiding major collections.
    const resourceLimits = { maxYoungGenerationSizeMb: 192 };
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, env: threadEnv(), resourceLimits });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a thread of the simulation ended with exit code ${code} and no report`)));
  });
}

/** The variables of this process, without the one by which vitest is known. */
function threadEnv(): NodeJS.ProcessEnv {
  const { VITEST: _vitest, ...env } = process.env;
  return env;
}
