import { type HeapProfiler, Session } from 'node:inspector/promises';

/** Returns the CPU time of this process in microseconds. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Runs a job once and returns its cost. */
export async function cost(job: () => Promise<unknown>): Promise<{ readonly cpu: number; readonly wall: number }> {
  const cpu = cpuMicros();
  const wall = performance.now();
  await job();
  return { cpu: cpuMicros() - cpu, wall: performance.now() - wall };
}

/** Full collections after which a heap that does not shrink any more counts as settled. */
const stableRounds = 12;

/** Returns the heap in use, in bytes, after full collections. Throws without `node --expose-gc`. */
export async function settledHeap(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the heap is measured with `node --expose-gc`');
  // Streams and callbacks that are over are released in later turns of the event loop, and what they held some collections later.
  let least = Number.POSITIVE_INFINITY;
  for (let same = 0; same < stableRounds; same += 1) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
    const { heapUsed } = process.memoryUsage();
    if (heapUsed < least - 4_096) same = -1;
    least = Math.min(least, heapUsed);
  }
  return least;
}

/**
 * Returns the bytes that a job allocates and minor collections do not free: what it keeps, and what objects refer to that are old and dead.
 * Throws without `node --expose-gc`.
 */
export async function bytesLeft(job: () => Promise<unknown>): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('the heap is measured with `node --expose-gc`');
  const session = new Session();
  session.connect();
  try {
    const kinds = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: false };
    await session.post('HeapProfiler.startSampling', { samplingInterval: 8_192, ...kinds });
    await job();
    // Twice: an object that survives the first is old after the second.
    for (let round = 0; round < 2; round += 1) gc({ type: 'minor' });
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return sampledBytes(profile.head);
  } finally {
    session.disconnect();
  }
}

/** Adds up the bytes of a sampling profile. */
export function sampledBytes({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + sampledBytes(child), selfSize);
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Runs jobs alternately in several rounds and returns the median CPU and wall cost of each. */
export async function interleaved<Name extends string>(
  jobs: Readonly<Record<Name, () => Promise<unknown>>>,
  rounds: number,
): Promise<Readonly<Record<Name, { readonly cpu: number; readonly wall: number }>>> {
  const names = Object.keys(jobs) as Name[];
  const costs = new Map<Name, { cpu: number[]; wall: number[] }>(names.map((name) => [name, { cpu: [], wall: [] }]));
  // Warms up: cold code is not representative of a long-running process.
  for (let warmup = 0; warmup < 3; warmup++) for (const name of names) await jobs[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const { cpu, wall } = await cost(jobs[name]);
      costs.get(name)?.cpu.push(cpu);
      costs.get(name)?.wall.push(wall);
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, { cpu: median(costs.get(name)?.cpu ?? []), wall: median(costs.get(name)?.wall ?? []) }]),
  ) as never;
}
