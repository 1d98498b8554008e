import type { ContentHash } from '../ids.ts';
import type { PromptHead } from './turn.ts';

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
