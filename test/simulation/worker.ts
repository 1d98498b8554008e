import { parentPort, workerData } from 'node:worker_threads';
import { runShard, type ShardOptions } from './shard.ts';

// One of the threads `npm run simulate` shares its seeds out among.
parentPort?.postMessage(await runShard(workerData as ShardOptions), []);
