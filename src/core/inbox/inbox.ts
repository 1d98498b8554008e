import { globalStrategies, unknownSourcePriority } from './strategy.ts';
import type { AgentId, ItemId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** When an item leaves the inbox: after it was read, or only when something drops it. */
export type ConsumptionPolicy = 'consume_on_read' | 'persistent_until_consumed';

/** How urgent an item is for an agent: interrupt its model call and wake it, the next turn, or when there is nothing else. */
export type Delivery = 'now' | 'next' | 'idle';

/** One event in an agent's inbox. */
export interface InboxItem {
  readonly itemId: ItemId;
  /** The kind of event, UPPER_SNAKE; decides priority and strategy. */
  readonly source: string;
  readonly payload: JsonValue;
  readonly consumption: ConsumptionPolicy;
  readonly delivery: Delivery;
  /** Overrides the source's priority; lower is read first. */
  readonly priority?: number;
  /** For `persistent_until_consumed`: how many turns may read it before it is dropped. */
  readonly maxTurns?: number;
  /** Overrides the strategy's ingestor and its parameters for this item. */
  readonly ingestorId?: string;
  readonly ingestorParams?: JsonObject;
  /** The observer or decider rule that made the item. */
  readonly observerId?: string;
  readonly ruleId?: string;
  /** What it says comes from outside the circle of those whose instructions count: it is framed as data. */
  readonly trust?: 'untrusted';
  /** Untrusted sources whose words it was made of by way of state. */
  readonly taint?: readonly string[];
  /** How many invisible characters were taken out of what came from outside. */
  readonly cleaned?: number;
  /** Agents whose words are in it, other than who posted it: what they read from outside counts for the reader. */
  readonly quotes?: readonly AgentId[];
  /** Who posted it: an agent of the run, or absent for the outside. */
  readonly from?: AgentId;
  /** The item this one stands for once more: the turn that read it was interrupted, or failed, before its model had answered. */
  readonly repeats?: ItemId;
}

/** An item as it waits in an inbox. */
export interface WaitingItem {
  readonly item: InboxItem;
  /** Sequence number of its `inbox.add` event: the arrival order, and the cause of the turn that reads it. */
  readonly seq: number;
  /** Turns that have read it and left it in place. */
  turnsSeen: number;
  /** Times an ingestor failed on it. */
  failures: number;
}

/** An item that stays has been read by as many turns as it may: the next turn drops it before it reads anything. */
export function isExpired({ item, turnsSeen }: WaitingItem): boolean {
  return item.maxTurns !== undefined && item.consumption === 'persistent_until_consumed' && turnsSeen >= item.maxTurns;
}

/** Failures of an ingestor on one item before the item goes to the dead-letter shelf. */
export const poisonAfterFailures = 3;

/** The priority an item is read with. */
export function priorityOf(item: InboxItem): number {
  return item.priority ?? globalStrategies.get(item.source)?.priority ?? unknownSourcePriority;
}

/** Items in the order they are read: priority, then arrival (I3). The given list is not changed. */
export function readingOrder(items: readonly WaitingItem[]): readonly WaitingItem[] {
  if (items.length < 2) return items;
  return items
    .map((waiting) => ({ waiting, priority: priorityOf(waiting.item) }))
    .sort((a, b) => a.priority - b.priority || a.waiting.seq - b.waiting.seq)
    .map((entry) => entry.waiting);
}
