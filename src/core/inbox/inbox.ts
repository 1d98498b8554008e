import { globalStrategies, unknownSourcePriority } from './strategy.ts';
import type { AgentId, ItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Policy for leaving the inbox: after the first read, or only on an explicit drop. */
export type ConsumptionPolicy = 'consume_on_read' | 'persistent_until_consumed';

/**
 * Urgency of an item: `now` interrupts the model call and wakes the agent, `next` waits for the next turn, `idle` for a time
 * with nothing else to read.
 */
export type Delivery = 'now' | 'next' | 'idle';

/** One entry of an agent's inbox. */
export interface InboxItem {
  readonly itemId: ItemId;
  /** Kind of item, UPPER_SNAKE; determines priority and strategy. */
  readonly source: string;
  readonly payload: JsonValue;
  readonly consumption: ConsumptionPolicy;
  readonly delivery: Delivery;
  /** Overrides the source's priority; lower is read first. */
  readonly priority?: number;
  /** For `persistent_until_consumed`: number of turns that may read it before it is dropped. */
  readonly maxTurns?: number;
  /** Overrides the strategy's ingestor and its parameters for this item. */
  readonly ingestorId?: string;
  readonly ingestorParams?: JsonObject;
  /** The observer or decider rule that created the item. */
  readonly observerId?: string;
  readonly ruleId?: string;
  /** The content is untrusted and is framed as data. */
  readonly trust?: 'untrusted';
  /** Untrusted sources whose text reached it through state. */
  readonly taint?: readonly string[];
  /** Number of invisible characters removed from untrusted content. */
  readonly cleaned?: number;
  /** Other agents whose text it contains: untrusted text that they read counts for the reader, too. */
  readonly quotes?: readonly AgentId[];
  /** The posting agent of the run; absent for input from outside. */
  readonly from?: AgentId;
  /** The item that this one repeats, because the turn that read it was interrupted or failed before the model had answered. */
  readonly repeats?: ItemId;
  /** The item that this one takes the place of: a person edited it in a fork. */
  readonly edits?: ItemId;
  /** The person who posted or edited it; absent for what no person did, and for programs that name none. */
  readonly by?: string;
}

/** An item that waits in an inbox. */
export interface WaitingItem {
  readonly item: InboxItem;
  /** Sequence number of its `inbox.add` event: the arrival order, and the cause of the turn that reads it. */
  readonly seq: number;
  /** Turns that have read it and left it in the inbox. */
  turnsSeen: number;
  /** Ingestor failures on it. */
  failures: number;
}

/** True for a persistent item that as many turns have read as may: the next turn drops it before reading. */
export function isExpired({ item, turnsSeen }: WaitingItem): boolean {
  return item.maxTurns !== undefined && item.consumption === 'persistent_until_consumed' && turnsSeen >= item.maxTurns;
}

/** Number of ingestor failures after which an item goes to the dead-letter queue. */
export const poisonAfterFailures = 3;

/** Returns an item's reading priority. */
export function priorityOf(item: InboxItem): number {
  return item.priority ?? globalStrategies.get(item.source)?.priority ?? unknownSourcePriority;
}

/** Returns items in reading order: priority, then arrival (I3). Does not change the given list. */
export function readingOrder(items: readonly WaitingItem[]): readonly WaitingItem[] {
  if (items.length < 2) return items;
  return items
    .map((waiting) => ({ waiting, priority: priorityOf(waiting.item) }))
    .sort((a, b) => a.priority - b.priority || a.waiting.seq - b.waiting.seq)
    .map((entry) => entry.waiting);
}
