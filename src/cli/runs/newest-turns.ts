import type { CadreEvent } from '../../core/events/event.ts';
import type { Journal, RunSummary } from '../../core/events/journal.ts';
import { turnsBegunIn } from '../../inspect/newest-turns.ts';
import { toTurnRow, type TurnRow } from '../../inspect/turn-list.ts';

// Events a turn has, about; the first stretch that is read is so many for each turn that is wanted.
const eventsPerTurn = 10;

/**
 * The newest turns of a run, in the order they began, read from the end of its journal: what a list shows does not cost what the run
 * has. Rows name no profile, which stands where their agents began.
 */
export async function newestTurns(
  journal: Journal,
  { runId, lastSeq, costUnknown }: RunSummary,
  count: number,
): Promise<readonly TurnRow[]> {
  let events: readonly CadreEvent[] = [];
  let from = lastSeq;
  for (let size = count * eventsPerTurn; from > 0; size *= 2) {
    const after = Math.max(0, from - size);
    events = [...(await journal.read(runId, { after, limit: from - after })), ...events];
    from = after;
    if (events.filter(({ type }) => type === 'turn.start').length >= count) break;
  }
  return turnsBegunIn(events)
    .slice(-count)
    .map((turn) => toTurnRow({ agents: new Map(), usage: { costUnknown } }, turn));
}
