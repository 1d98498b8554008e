import { CadreError } from '../error.ts';
import type { TurnId } from '../ids.ts';
import type { InboxItem } from './inbox.ts';
import type { RunContext } from '../state/run-context.ts';

/**
 * Returns the turn that read an inbox item, or `unread` when it waits or is a dead letter; undefined for an unknown id. Finds items
 * as long as the state holds the turns that read them.
 */
export function findItem(run: RunContext, itemId: string): TurnId | 'unread' | undefined {
  for (const turn of run.turns.values()) if (turn.start.inputs.some((input) => input.itemId === itemId)) return turn.turnId;
  for (const agent of run.agents.values()) {
    if (agent.inbox.items.some(({ item }) => item.itemId === itemId)) return 'unread';
    if (agent.inbox.deadLetters.some((item) => item.itemId === itemId)) return 'unread';
  }
  return undefined;
}

/** Returns the error of posting an item under an id that another item has. Undefined for a new id, and for the same item again. */
export function itemConflict(
  run: RunContext,
  { itemId, source, payload }: Pick<InboxItem, 'itemId' | 'source' | 'payload'>,
): CadreError | undefined {
  const known = knownItem(run, itemId);
  if (known === undefined || (known.source === source && JSON.stringify(known.payload) === JSON.stringify(payload)))
    return undefined;
  return new CadreError(
    'REQUEST_CONFLICT',
    `another message was sent to run ${run.meta.runId} under this key or id (item ${itemId}); nothing was done. Send the same message to repeat it, or take a new key`,
    { details: { runId: run.meta.runId, itemId } },
  );
}

function knownItem(run: RunContext, itemId: string): InboxItem | undefined {
  for (const turn of run.turns.values()) for (const item of turn.items) if (item?.itemId === itemId) return item;
  for (const agent of run.agents.values()) {
    const found =
      agent.inbox.items.find(({ item }) => item.itemId === itemId)?.item ??
      agent.inbox.deadLetters.find((item) => item.itemId === itemId);
    if (found !== undefined) return found;
  }
  return undefined;
}
