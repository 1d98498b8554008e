/** Lets one at a time do something about one thing; whoever comes later waits for those before. */
export interface KeyedLock {
  hold<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Makes a lock; it remembers no key that nobody holds or waits for. */
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
