import type { TurnId } from '../../core/ids.ts';

/** A turn of the first run, the turn of the second run with the same id, or both. */
export interface TurnPair<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/**
 * Pairs turns of the same agent and number, wherever they stand: agents that work at the same time take their turns in any order. Rows are in
 * the order of the first run; a turn that only the second run has follows the turn that precedes it there.
 */
export function pairTurns<T extends { readonly turnId: TurnId }>(
  before: readonly T[],
  after: readonly T[],
): readonly TurnPair<T>[] {
  const known = new Set(before.map(({ turnId }) => turnId));
  const seconds = new Map(after.map((turn) => [turn.turnId, turn]));
  const added = new Map<TurnId | undefined, TurnPair<T>[]>();
  let last: TurnId | undefined;
  for (const turn of after) {
    if (known.has(turn.turnId)) last = turn.turnId;
    else added.set(last, [...(added.get(last) ?? []), { before: undefined, after: turn }]);
  }
  const rows = before.flatMap((turn) => [{ before: turn, after: seconds.get(turn.turnId) }, ...(added.get(turn.turnId) ?? [])]);
  return [...(added.get(undefined) ?? []), ...rows];
}
