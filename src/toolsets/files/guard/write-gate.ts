/**
 * Runs writes side by side, and the move of a folder alone, so that the folder moves as it was checked. One gate serves all workspaces of
 * this process, since one workspace may lie in another.
 */
export interface WriteGate {
  /** Runs work beside other writes; waits for moves that were requested before. */
  amongWrites<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work while no other work runs. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a gate. Work inside the gate must not enter it again (deadlock). */
export function createWriteGate(): WriteGate {
  const writes = new Set<Promise<void>>();
  let moves = Promise.resolve();
  return {
    amongWrites: async (work) => {
      for (let seen: Promise<void> | undefined; seen !== moves;) {
        seen = moves;
        await seen;
      }
      const mine = work();
      const settled = settle(mine);
      writes.add(settled);
      void settled.then(() => writes.delete(settled));
      return await mine;
    },
    alone: async (work) => {
      const before = moves;
      const mine = (async () => {
        await before;
        await Promise.all(writes);
        return await work();
      })();
      moves = settle(mine);
      return await mine;
    },
  };
}

async function settle(work: Promise<unknown>): Promise<void> {
  await work.then(
    () => undefined,
    () => undefined,
  );
}
