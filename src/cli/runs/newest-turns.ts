import type { CadreEvent } from '../../core/events/event.ts';
import type { Journal, RunSummary } from '../../core/events/journal.ts';
import { turnsBegunIn } from '../../inspect/newest-turns.ts';
import { toTurnRow, type TurnRow } from '../../inspect/turn-list.ts';

// Typical number of events per turn; sizes the first read.
const eventsPerTurn = 10;

/**
 * Returns the newest turns of a run in the order they began. Reads the journal from its end, so that the cost does not grow with the run.
 * Rows have no profile: it is recorded where the agent started.
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
