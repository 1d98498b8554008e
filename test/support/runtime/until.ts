import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something is the case; fails after `seconds`. */
export async function until(isSo: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (let round = 0; round < seconds * 20; round += 1) {
    if (await isSo()) return;
    await pause(50);
  }
  throw new Error(`it did not happen within ${seconds} s`);
}
