import type { CadreEvent, EventOf } from '../core/events/event.ts';
import type { InboxItem } from '../core/inbox/inbox.ts';
import { globalStrategies, unknownSourcePriority } from '../core/inbox/strategy.ts';
import { Findings, type JournalFacts, type JournalProblem } from './journal-problem.ts';

interface Waiting {
  readonly item: InboxItem;
  readonly seq: number;
}

/** Decisions after which an agent continues by itself, so that items for idle moments wait. */
const looping: ReadonlySet<string> = new Set(['loop_with_inbox_item', 'retry_turn', 'set_tool_choice']);

/** Most items one turn reads. */
const readAtOnce = 256;

/** Checks I2 and I3: every item arrives once, is consumed once by a turn of its agent or stays, and is read in order. */
export function checkInboxes(events: readonly CadreEvent[], facts: JournalFacts): readonly JournalProblem[] {
  const found = new Findings();
  const inboxes = new Map<string, Map<string, Waiting>>();
  const seen = new Set<string>();
  const dropped = new Set<string>();
  const loops = new Set<string>();
  for (const event of events) {
    found.at(event);
    if (event.type === 'turn.decide' && looping.has(event.action.type)) loops.add(event.agentId);
    if (event.type === 'agent.restart') loops.delete(event.agentId);
    if (event.type === 'agent.start') inboxes.set(event.agentId, new Map());
    else if (event.type === 'inbox.add') {
      const { item } = event;
      found.expect(!seen.has(item.itemId), 'I2', `item ${item.itemId} arrives a second time`);
      seen.add(item.itemId);
      const inbox = inboxes.get(event.agentId);
      found.expect(inbox !== undefined, 'order', `item ${item.itemId} is for ${event.agentId}, which never started`);
      inbox?.set(item.itemId, { item, seq: event.seq });
    } else if (event.type === 'inbox.drop') {
      found.expect(
        inboxes.get(event.agentId)?.delete(event.itemId) === true,
        'I2',
        `item ${event.itemId} is dropped, but was not there`,
      );
      if (event.reason === 'dead_letter') dropped.add(event.itemId);
    } else if (event.type === 'inbox.fail') {
      found.expect(inboxes.get(event.agentId)?.has(event.itemId) === true, 'I2', `item ${event.itemId} fails, but was not there`);
    } else if (event.type === 'turn.start') {
      const isLooping = loops.delete(event.agentId);
      checkReading(found, event, { inbox: inboxes.get(event.agentId) ?? new Map(), facts, dropped, isLooping });
    }
  }
  return found.problems;
}

/** State of the agent that reads, before its turn. */
interface ReaderState {
  readonly inbox: Map<string, Waiting>;
  readonly facts: JournalFacts;
  readonly dropped: Set<string>;
  readonly isLooping: boolean;
}

function checkReading(found: Findings, event: EventOf<'turn.start'>, known: ReaderState): void {
  const { inbox } = known;
  const read: Waiting[] = [];
  for (const input of event.inputs) {
    const waiting = inbox.get(input.itemId);
    // An item just moved to the dead-letter queue is shown once more, as a note.
    if (waiting === undefined && known.dropped.delete(input.itemId)) continue;
    found.expect(waiting !== undefined, 'I2', `turn ${event.turnId} reads item ${input.itemId}, which is not in the inbox`);
    if (waiting === undefined) continue;
    read.push(waiting);
    if (input.kept !== true) inbox.delete(input.itemId);
    found.expect(
      input.kept !== true || !input.persistent,
      'I2',
      `item ${input.itemId} stays in the inbox and is kept in the history as well`,
    );
  }
  const order = read.map((waiting) => ({ ...waiting, priority: readingPriority(waiting.item, known.facts) }));
  for (let index = 1; index < order.length; index++) {
    const [before, after] = [order[index - 1], order[index]];
    if (before === undefined || after === undefined) continue;
    const inOrder = before.priority < after.priority || (before.priority === after.priority && before.seq < after.seq);
    found.expect(
      inOrder,
      'I3',
      `turn ${event.turnId} reads ${before.item.itemId} (${before.item.source}) before ${after.item.itemId} (${after.item.source})`,
    );
  }
  const isIdle = !known.isLooping && read.every(({ item }) => item.delivery === 'idle');
  found.expect(
    !known.isLooping || read.every(({ item }) => item.delivery !== 'idle'),
    'I3',
    `turn ${event.turnId} reads an item for idle moments while its agent loops`,
  );
  for (const left of inbox.values()) {
    const stays = read.includes(left) || event.inputs.length >= readAtOnce || (left.item.delivery === 'idle' && !isIdle);
    found.expect(stays, 'I6', `turn ${event.turnId} leaves ${left.item.itemId} (${left.item.source}) unread`);
  }
}

/** Returns an item's reading priority. Results directly follow their calls (I1), whatever their priority. */
function readingPriority(item: InboxItem, facts: JournalFacts): number {
  if (item.source === 'TOOL_RESULT' && item.from === undefined) return Number.NEGATIVE_INFINITY;
  const global = globalStrategies.get(item.source)?.priority;
  return item.priority ?? facts.priorities?.[item.source] ?? global ?? unknownSourcePriority;
}
