import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Does work and returns its time and the longest block of the event loop meanwhile, in milliseconds. */
export async function watchLoop(work: () => Promise<unknown>): Promise<{ readonly wall: number; readonly block: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The first delay is measured from here.
  await sleep(5);
  delays.reset();
  const began = performance.now();
  await work();
  const wall = performance.now() - began;
  // A block at the very end is noticed by the next timer.
  await sleep(5);
  delays.disable();
  return { wall, block: delays.max / 1e6 };
}
