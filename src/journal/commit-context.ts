import type { EventOf } from '../core/events/event.ts';
import type { InboxItem } from '../core/inbox/inbox.ts';
import type { Patch } from '../core/patches/patch.ts';
import type { ReplyToolCall } from '../core/state/turn.ts';
import { NotedList } from './codec/noted-list.ts';

/**
 * What is known of a commit up to the record at hand: the same for the one who writes it and the one who reads it, so that
 * what follows from it need not be stored.
 */
export interface CommitContext {
  /** Type and time of the event at hand. */
  type: string;
  at: number;
  /** The latest agent, turn and call that an event of this commit named. */
  agentId: unknown;
  turnId: unknown;
  callId: unknown;
  /** The turn named before the event at hand. */
  previousTurnId: unknown;
  /** The rule of the decision at hand that matched. */
  ruleId: string | undefined;
  /** The model that gave the reply of the event at hand. */
  modelId: string | undefined;
  /** Calls the commit's replies asked for, and how many of them were requested. */
  readonly calls: NotedList<Partial<ReplyToolCall>>;
  /** Calls the commit requested, and how many of them were started. */
  readonly requests: NotedList<Partial<EventOf<'tool.request'>>>;
  starts: number;
  /** Calls that ended in the commit, and how many of them have their result item. */
  readonly ends: NotedList<Partial<EventOf<'tool.end'>>>;
  results: number;
  /** Items added by the commit, and how many of them were read by a turn. */
  readonly items: NotedList<Partial<InboxItem>>;
  reads: number;
  /** Changes of state of the event at hand that nothing has undone yet. */
  patches: Partial<Patch>[];
}

/** The context in front of a commit's first event. */
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
