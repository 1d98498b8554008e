import type { CompactionReason } from '../events/context-events.ts';
import type { EventOf } from '../events/event.ts';
import type { ContentHash } from '../ids.ts';
import type { PromptHead } from './turn.ts';

/** Context size of an agent, and the part of its history that its prompts show. */
export interface AgentContext {
  /** Running totals of estimated tokens: `tokenTotals[i]` covers the history up to and including `messages[i]`. */
  tokenTotals: number[];
  /** Total of the released messages. */
  tokensReleased: number;
  /** Latest prompt for which the provider reported a token count, with the engine's own estimate of it. */
  counted: { readonly from: number; readonly estimated: number; readonly tokens: number } | undefined;
  /** Part of the history that its prompts show. */
  view: ContextView;
  /** Estimated tokens of its last prompt besides messages: system text, tools, items read for that turn only. */
  fixedTokens: number;
  /** The compaction in progress; no turn starts before it ends. */
  compacting: EventOf<'compaction.start'> | undefined;
  compactions: number;
  /** True after a prompt was refused as too long and room was made; the next reply clears it. */
  madeRoom: boolean;
}

/** The view that an agent's prompts have of its history: the messages from `from` on, after a text that replaces the earlier ones. */
export interface ContextView {
  readonly from: number;
  readonly head: ContentHash | undefined;
  readonly headTokens: number;
  /** Sequence number of the event that the text came from. */
  readonly headSeq: number | undefined;
  readonly isSummary: boolean;
  /** Summaries of the messages before those that `head` replaces, oldest first; `headTokens` includes them. */
  readonly earlier?: readonly PromptHead[];
  /** Position at which a summary failed that was due after a number of actions or a finished task; it is not retried. */
  readonly tried?: number;
}

/** True when the prompt would not fit without the compaction. */
export function isForRoom(reason: CompactionReason): boolean {
  return reason === 'threshold' || reason === 'refused';
}
