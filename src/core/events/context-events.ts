import type { ErrorRecord } from '../error.ts';
import type { AgentId, ContentHash } from '../ids.ts';
import type { ModelAttempt, Usage } from '../model/model.ts';
import type { TurnReserve } from './turn-events.ts';

/**
 * Reason for a later start of prompts. `nothing_kept`: same start, but a note replaces the messages that were not kept;
 * `new_task`: the agent sees its own history from the current task on.
 */
export type TrimReason = 'window' | 'max_tokens' | 'stop' | 'refused' | 'compaction_failed' | 'nothing_kept' | 'new_task';

/** From here on, an agent's prompts leave out the messages before `to`; they stay in the journal. */
export interface ContextTrim {
  readonly type: 'context.trim';
  readonly agentId: AgentId;
  /** The first message that is still shown. */
  readonly to: number;
  readonly reason: TrimReason;
  /** A user message that replaces the omitted ones, if any, and its estimated tokens. */
  readonly head?: ContentHash;
  readonly headTokens?: number;
}

/** Purpose of a compaction: room in the prompt, or a summary after a number of actions or a finished task. */
export type CompactionReason = 'threshold' | 'refused' | 'actions' | 'task_end';

/** True when the prompt would not fit without the compaction. */
export function isForRoom(reason: CompactionReason): boolean {
  return reason === 'threshold' || reason === 'refused';
}

/** A summariser is asked to replace an agent's messages `from` (inclusive) to `to` (exclusive). */
export interface CompactionStart {
  readonly type: 'compaction.start';
  readonly agentId: AgentId;
  readonly compactionId: string;
  readonly from: number;
  readonly to: number;
  /** The summary before this one, and earlier ones; all become part of the new summary. */
  readonly previous?: ContentHash;
  readonly earlier?: readonly ContentHash[];
  /** Existing summaries stay, in front of this one. */
  readonly separate?: true;
  readonly reason: CompactionReason;
  /** Estimated tokens that the next prompt would have had. */
  readonly tokens: number;
  /** The summariser's LLM config and its instructions. */
  readonly llmConfig: string;
  readonly instructions: ContentHash;
  /** Upper bound of the summariser's use, reserved in the budgets. */
  readonly reserve?: TurnReserve;
}

/** A summariser has finished: with `head`, prompts begin with that summary and message `to`; with `error`, nothing changes. */
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
