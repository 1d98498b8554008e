/** Result of trying some of the changes; `unresolved`: they make no profiles that load. */
export type Trial = 'passes' | 'fails' | 'unresolved';

/** The change that makes a case fail. */
export interface Culprit<Change> {
  readonly change: Change;
  /** Changes before it that do not load alone, any of which may be the one. */
  readonly unresolved: readonly Change[];
}

/**
 * Finds the change with which a case begins to fail, given that it passes without all of them and fails with all of them, by halving. Prefixes
 * that do not load are stepped over.
 */
export async function findCulprit<Change>(
  changes: readonly Change[],
  attempt: (chosen: readonly Change[]) => Promise<Trial>,
): Promise<Culprit<Change>> {
  let passing = 0;
  let failing = changes.length;
  while (failing - passing > 1) {
    const between = Array.from({ length: failing - passing - 1 }, (_, index) => passing + 1 + index);
    const middle = (passing + failing) / 2;
    let isResolved = false;
    for (const count of between.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))) {
      const trial = await attempt(changes.slice(0, count));
      if (trial === 'unresolved') continue;
      if (trial === 'passes') passing = count;
      else failing = count;
      isResolved = true;
      break;
    }
    // Nothing in between loads: the change is one of these.
    if (!isResolved) break;
  }
  const change = changes[failing - 1];
  if (change === undefined) throw new Error('there are no changes to look for one in');
  return { change, unresolved: changes.slice(passing, failing - 1) };
}
