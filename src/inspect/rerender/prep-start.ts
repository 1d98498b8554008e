import type { CadreEvent, EventOf } from '../../core/events/event.ts';

/** Poster of items about toolsets: they come from outside the turn, though an observer's id marks them. */
const fromOutside = 'toolsets';

/**
 * Returns the index of the first event that the preparation of a turn emitted: the effects of its pre-turn observers, its limits and its
 * inbox, directly before `turn.start`. A preparation is one synchronous decision, so its events are neighbours and share their time.
 */
export function prepStart(events: readonly CadreEvent[], startIndex: number): number {
  const start = events[startIndex];
  if (start?.type !== 'turn.start') return startIndex;
  let first = startIndex;
  for (let index = startIndex - 1; index > 0; index--) {
    const event = events[index];
    if (event === undefined || event.at !== start.at || !isOfPrep(event, start)) break;
    first = index;
  }
  return first;
}

function isOfPrep(event: CadreEvent, { agentId }: EventOf<'turn.start'>): boolean {
  switch (event.type) {
    case 'inbox.add':
      // Observers may speak to other agents. An item that is repeated belongs to the turn before.
      return event.item.observerId !== undefined && event.item.observerId !== fromOutside && event.item.repeats === undefined;
    case 'state.patch':
    case 'state.update':
      // After a turn began, changes name it.
      return event.agentId === agentId && event.turnId === undefined && event.by !== undefined;
    case 'inbox.drop':
    case 'inbox.fail':
    case 'limit.reach':
    case 'stagnation.act':
      return event.agentId === agentId;
    case 'context.trim':
      // The other reasons follow a model call: a prompt that was refused, a summary that failed.
      return event.agentId === agentId && event.reason !== 'refused' && event.reason !== 'compaction_failed';
    case 'note.add':
      return event.agentId === agentId && event.turnId === undefined && notesOfPrep.has(event.code);
    default:
      return false;
  }
}

/** Codes of notes that a preparation may record. */
const notesOfPrep: ReadonlySet<string> = new Set(['INBOX_SOURCE_UNKNOWN', 'ITEM_POISONED', 'CONDITION_FAILED']);
