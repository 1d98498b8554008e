import type { ErrorRecord } from '../error.ts';
import type { AgentId, ContentHash } from '../ids.ts';
import type { ModelAttempt, Usage } from '../model/model.ts';
import type { TurnReserve } from './turn-events.ts';

/**
 * Why prompts begin later than they did; `nothing_kept`: as before, but with a note in the place of what was not kept;
 * `new_task`: the agent sees its own history from the task at hand on.
 */
export type TrimReason = 'window' | 'max_tokens' | 'stop' | 'refused' | 'compaction_failed' | 'nothing_kept' | 'new_task';

/** The messages before `to` are left out of an agent's prompts from here on; they stay in the journal. */
export interface ContextTrim {
  readonly type: 'context.trim';
  readonly agentId: AgentId;
  /** The first message that is still shown. */
  readonly to: number;
  readonly reason: TrimReason;
  /** The text that stands in front of it in the user's name, when there is one, and its estimated tokens. */
  readonly head?: ContentHash;
  readonly headTokens?: number;
}

/** What a compaction is for: room in the prompt, or a summary after so many actions or at the end of a task. */
export type CompactionReason = 'threshold' | 'refused' | 'actions' | 'task_end';

/** Tells whether the prompt would not fit without it. */
export function isForRoom(reason: CompactionReason): boolean {
  return reason === 'threshold' || reason === 'refused';
}

/** A summariser is asked to replace the messages `from` (inclusive) to `to` (exclusive) of an agent. */
export interface CompactionStart {
  readonly type: 'compaction.start';
  readonly agentId: AgentId;
  readonly compactionId: string;
  readonly from: number;
  readonly to: number;
  /** The summary before this one, and those before it, which are part of what is summarised. */
  readonly previous?: ContentHash;
  readonly earlier?: readonly ContentHash[];
  /** Summaries that are there stay, in front of this one. */
  readonly separate?: true;
  readonly reason: CompactionReason;
  /** About how many tokens the next prompt would have had. */
  readonly tokens: number;
  /** The LLM config that summarises, and what it is told. */
  readonly llmConfig: string;
  readonly instructions: ContentHash;
  /** What its call may use at most, set aside in the budgets. */
  readonly reserve?: TurnReserve;
}

/** A summariser is done: with `head`, prompts begin with that summary and message `to`; with `error`, nothing changed. */
export interface CompactionEnd {
  readonly type: 'compaction.end';
  readonly agentId: AgentId;
  readonly compactionId: string;
  readonly from: number;
  readonly to: number;
  readonly head?: ContentHash;
  readonly headTokens?: number;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  readonly cost?: number;
  readonly attempts: readonly ModelAttempt[];
}
