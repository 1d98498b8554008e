import { customAlphabet, nanoid } from 'nanoid';
import type { Ids, ItemId, RunId } from '../core/ids.ts';

// Letters and digits that are not confused when read aloud or copied by hand.
const short = customAlphabet('23456789abcdefghijkmnpqrstuvwxyz', 12);

/** Ids for things from outside: runs and posted items. */
export const randomIds: Required<Ids> = {
  runId: () => `run_${short()}` as RunId,
  itemId: () => `x${short()}` as ItemId,
  frameSeed: () => nanoid(32),
};

/** Returns a new seed for the frames of a run. */
export function frameSeedOf(ids: Ids): string {
  return ids.frameSeed?.() ?? randomIds.frameSeed();
}
