import { setTimeout as delay } from 'node:timers/promises';
import { CadreError } from '../../../core/error.ts';
import type { EvalStop } from './eval-stop.ts';

const betweenLooksMs = 250;

/**
 * Does work on a run that another process may be making at the same time, such as the same eval started twice: waits until that one is done
 * with it, or gone, and does it then. `isAgain` says that the journal must be looked at once more.
 */
export async function whenFree<T>(stop: Pick<EvalStop, 'why'>, work: (isAgain: boolean) => Promise<T>): Promise<T> {
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await work(isAgain);
    } catch (thrown) {
      // The second time a run exists that the journal does not show: waiting does not help.
      const isTaken = thrown instanceof CadreError && (thrown.code === 'RUN_LOCKED' || (thrown.code === 'RUN_EXISTS' && !isAgain));
      if (!isTaken || stop.why !== undefined) throw thrown;
      await delay(betweenLooksMs);
    }
  }
}
