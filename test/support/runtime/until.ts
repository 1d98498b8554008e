import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something is the case; fails after 30 s. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 600; round += 1) {
    if (await isSo()) return;
    await pause(50);
  }
  throw new Error('it did not happen within 30 s');
}
