import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { benchEngine } from './engine-run.ts';
import { floorLoop, plainModel } from './floor.ts';
import { sampledBytes } from './measure.ts';

/** Tool turns of the counted run: enough that what happens once per run does not show. */
const turns = 1_000;

/** A function that runs in every turn. */
export interface CountedFunction {
  readonly name: string;
  /** Source file, relative to the project. */
  readonly file: string;
  readonly callsPerTurn: number;
}

/** What one ordinary tool turn does, without a clock. */
export interface TurnCounts {
  /** Functions of the project that run in every turn. */
  readonly functions: readonly CountedFunction[];
  readonly callsPerTurn: number;
  readonly allocatedBytes: number;
  /** Heap objects that a turn leaves behind, in memory. */
  readonly keptObjects: number;
}

/** Counts a turn of the engine in memory, with a tool that answers at once. Runs the engine three times. */
export async function countTurn(): Promise<TurnCounts> {
  const engine = await benchEngine({ bench: plainModel({ turns }) }, 'memory');
  const counts = await countJob(async () => {
    const run = await engine.launch({ profile: 'Adder', input: 'Add.' });
    await run.result;
    return run;
  });
  await engine.close();
  return counts;
}

/** Counts the same work of the bare loop. */
export function countFloor(): Promise<TurnCounts> {
  const model = plainModel({ turns });
  return countJob(() => floorLoop(model));
}

async function countJob(job: () => Promise<unknown>): Promise<TurnCounts> {
  const session = new Session();
  session.connect();
  try {
    // What is built once per process must not be counted as part of a turn.
    await job();
    const functions = await runningFunctions(session, job);
    const allocatedBytes = (await bytesAllocated(session, job)) / turns;
    const before = await heapNodes(session);
    const kept = await job();
    const keptObjects = ((await heapNodes(session)) - before) / turns;
    if (kept === undefined) throw new Error('the counted job returns what it keeps');
    const callsPerTurn = functions.reduce((sum, counted) => sum + counted.callsPerTurn, 0);
    return { functions, callsPerTurn, allocatedBytes, keptObjects };
  } finally {
    session.disconnect();
  }
}

/** Functions called at least nine times in ten turns, by precise coverage; those of Node and of packages are left out. */
async function runningFunctions(session: Session, job: () => Promise<unknown>): Promise<CountedFunction[]> {
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await job();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const counted: CountedFunction[] = [];
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || url.includes('/node_modules/')) continue;
    const file = fileURLToPath(url).replace(root, '');
    for (const { functionName, ranges } of functions) {
      const callsPerTurn = (ranges[0]?.count ?? 0) / turns;
      if (callsPerTurn >= 0.9) counted.push({ name: functionName === '' ? '(anonymous)' : functionName, file, callsPerTurn });
    }
  }
  return counted.toSorted((a, b) => b.callsPerTurn - a.callsPerTurn);
}

/** All bytes that a job allocates, kept or not, by the sampling profiler of the heap. */
async function bytesAllocated(session: Session, job: () => Promise<unknown>): Promise<number> {
  await session.post('HeapProfiler.enable');
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 512,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await job();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  return sampledBytes(profile.head);
}

/** Number of objects on the heap after a full collection. */
async function heapNodes(session: Session): Promise<number> {
  let head = '';
  const read = ({ params }: { readonly params: { readonly chunk: string } }): void => {
    if (head.length < 10_000) head += params.chunk;
  };
  session.on('HeapProfiler.addHeapSnapshotChunk', read);
  await session.post('HeapProfiler.collectGarbage');
  await session.post('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', read);
  const count = /"node_count":(\d+)/.exec(head)?.[1];
  if (count === undefined) throw new Error('the heap snapshot names no number of nodes');
  return Number(count);
}
