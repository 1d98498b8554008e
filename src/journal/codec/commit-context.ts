import type { EventOf } from '../../core/events/event.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import type { Patch } from '../../core/patches/patch.ts';
import type { ReplyToolCall } from '../../core/state/turn.ts';

/**
 * Longest list that is searched linearly; longer ones get an index. Most commits are small, but a grouped one may hold a thousand
 * agents.
 */
const searchedUpTo = 8;

/** Records in the order they were noted, found by position or id. When several share an id, the first is found. */
class NotedList<T> {
  /** Number of noted records. */
  size = 0;
  // Made with the first record: a commit needs few of these lists.
  #list: T[] | undefined;
  #ids: unknown[] | undefined;
  #index: Map<unknown, T> | undefined;

  add(id: unknown, record: T): void {
    this.size = (this.#list ??= []).push(record);
    (this.#ids ??= []).push(id);
    if (this.#index !== undefined && !this.#index.has(id)) this.#index.set(id, record);
  }

  at(index: number): T | undefined {
    return this.#list?.[index];
  }

  get(id: unknown): T | undefined {
    if (this.#list === undefined || this.#ids === undefined) return undefined;
    if (this.size <= searchedUpTo) return this.#list[this.#ids.indexOf(id)];
    this.#index ??= indexed(this.#list, this.#ids);
    return this.#index.get(id);
  }
}

function indexed<T>(list: readonly T[], ids: readonly unknown[]): Map<unknown, T> {
  const index = new Map<unknown, T>();
  for (const [place, record] of list.entries()) if (!index.has(ids[place])) index.set(ids[place], record);
  return index;
}

/**
 * State shared by the writer and the reader of a commit up to the current record, so that values derived from it need not be
 * stored.
 */
export interface CommitContext {
  /** Type and time of the current event. */
  type: string;
  at: number;
  /** Latest agent, turn and call named by an event of this commit. */
  agentId: unknown;
  turnId: unknown;
  callId: unknown;
  /** Turn named before the current event. */
  previousTurnId: unknown;
  /** Rule that matched in the current decision. */
  ruleId: string | undefined;
  /** Model that gave the reply of the current event. */
  modelId: string | undefined;
  /** Calls in the commit's replies. The size of `requests` tells how many were requested. */
  readonly calls: NotedList<Partial<ReplyToolCall>>;
  /** Calls that the commit requested, and how many of them started. */
  readonly requests: NotedList<Partial<EventOf<'tool.request'>>>;
  starts: number;
  /** Calls that ended in the commit, and how many of them have their result item. */
  readonly ends: NotedList<Partial<EventOf<'tool.end'>>>;
  results: number;
  /** Items added by the commit, and how many of them a turn read. */
  readonly items: NotedList<Partial<InboxItem>>;
  reads: number;
  /** State patches of the current event that have no inverse yet. */
  patches: Partial<Patch>[];
}

/** Returns the context before a commit's first event. */
export function createCommitContext(): CommitContext {
  return {
    type: '',
    at: 0,
    agentId: undefined,
    turnId: undefined,
    callId: undefined,
    previousTurnId: undefined,
    ruleId: undefined,
    modelId: undefined,
    calls: new NotedList(),
    requests: new NotedList(),
    starts: 0,
    ends: new NotedList(),
    results: 0,
    items: new NotedList(),
    reads: 0,
    patches: [],
  };
}
