/**
 * Lets writes run side by side, and the move of a folder alone: what was looked at in the folder is what moves. Writes of this process,
 * whatever their workspace, since one workspace may lie in another.
 */
export interface WriteGate {
  /** Does work that may run beside other work like it; what waits to be alone goes first. */
  amongWrites<T>(work: () => Promise<T>): Promise<T>;
  /** Does work while no other is done. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes a gate. Work that was let in must not ask to be let in again. */
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
