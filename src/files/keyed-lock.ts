/** Lock per key: work for one key runs one at a time, in the order of the calls. */
export interface KeyedLock {
  hold<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Creates a lock; it keeps no entry for a key that is neither held nor waited for. */
export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    hold: async (key, work) => {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(work);
      const settled = mine.then(
        () => undefined,
        () => undefined,
      );
      tails.set(key, settled);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === settled) tails.delete(key);
      }
    },
  };
}
