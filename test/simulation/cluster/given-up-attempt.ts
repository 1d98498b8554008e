import { AsyncLocalStorage } from 'node:async_hooks';

/** Lets an attempt at an input stand still at a call of the journal, by the name of the call. */
type Hold = (call: string) => Promise<void>;

const holds = new AsyncLocalStorage<Hold>();

/** Makes an attempt at an input, which `hold` may let stand still wherever it calls the journal. */
export async function attempting<T>(hold: Hold, attempt: () => Promise<T>): Promise<T> {
  return await holds.run(hold, attempt);
}

/** Stands still here for a while, if the attempt under way is to be given up. */
export async function goesOnLater(call: string): Promise<void> {
  await holds.getStore()?.(call);
}
