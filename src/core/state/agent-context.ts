import type { EventOf } from '../events/event.ts';
import type { ContentHash } from '../ids.ts';
import type { PromptHead } from './turn.ts';

/** The part of an agent's state that says how big its prompts are, and what they show. */
export interface AgentContext {
  /** Running totals of estimated tokens: `tokenTotals[i]` is that of the whole history up to and with `messages[i]`. */
  tokenTotals: number[];
  /** The total of the messages that were released. */
  tokensReleased: number;
  /** What the provider counted for the latest prompt it said so of, beside the engine's own estimate of it. */
  counted: { readonly from: number; readonly estimated: number; readonly tokens: number } | undefined;
  /** What its prompts show of its history. */
  view: ContextView;
  /** What its last prompt held beside messages: system text, tools, what was read for once. Estimated tokens. */
  fixedTokens: number;
  /** The compaction that is under way; no turn begins before it has ended. */
  compacting: EventOf<'compaction.start'> | undefined;
  compactions: number;
  /** A prompt was refused as too long and room was made; cleared by the next reply. */
  madeRoom: boolean;
}

/** What an agent's prompts show of its history: the messages from `from` on, behind a text that stands for those before. */
export interface ContextView {
  readonly from: number;
  readonly head: ContentHash | undefined;
  readonly headTokens: number;
  /** The event the text came from. */
  readonly headSeq: number | undefined;
  readonly isSummary: boolean;
  /** Summaries of what was before the messages the text stands for, oldest first; `headTokens` counts them, too. */
  readonly earlier?: readonly PromptHead[];
  /** Where a summary that nothing called for but a number of actions, or the end of a task, failed: it is not tried again. */
  readonly tried?: number;
}
