import type { EventOf } from '../core/events/event.ts';
import type { InboxItem } from '../core/inbox/inbox.ts';
import type { Patch } from '../core/patches/patch.ts';
import type { ReplyToolCall } from '../core/state/turn.ts';
import { NotedList } from './codec/noted-list.ts';

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
