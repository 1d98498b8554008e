import type { Ids, ItemId, RunId } from '../core/ids.ts';

/** Creates ids that count from one, so that whole journals can be compared byte by byte. */
export function countingIds(): Ids {
  let runs = 0;
  let items = 0;
  let seeds = 0;
  return {
    runId: () => `run_${++runs}` as RunId,
    itemId: () => `x${++items}` as ItemId,
    frameSeed: () => `seed ${++seeds}`,
  };
}
