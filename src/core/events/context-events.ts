import { list, optional } from '../schema/records.ts';
import type { TypeOf } from '../schema/schema.ts';
import { count, number, oneOf, text } from '../schema/values.ts';
import { attempts, contentHash, errorRecord, usage, use } from './common-parts.ts';
import { defineEvent, type DraftOf, ofAgent } from './define-event.ts';
import { reserve } from './turn-parts.ts';

/**
 * Reason for a later start of prompts. `nothing_kept`: same start, but a note replaces the messages that were not kept;
 * `new_task`: the agent sees its own history from the current task on.
 */
const trimReason = oneOf('window', 'max_tokens', 'stop', 'refused', 'compaction_failed', 'nothing_kept', 'new_task');

export const contextTrim = defineEvent('context.trim', {
  about: "From here on, an agent's prompts leave out the messages before `to`; they stay in the journal.",
  code: 'k-',
  subject: ofAgent,
  fields: {
    /** The first message that is still shown. */
    to: count,
    reason: trimReason,
    /** A user message that replaces the omitted ones, if any, and its estimated tokens. */
    head: optional(contentHash),
    headTokens: optional(number),
  },
  describe: ({ agentId, reason, to }) =>
    reason === 'nothing_kept'
      ? `a note replaces the beginning of the conversation of ${agentId}`
      : `prompts of ${agentId} begin with message ${to} (${reason})`,
});

/** Purpose of a compaction: room in the prompt, or a summary after a number of actions or a finished task. */
const compactionReason = oneOf('threshold', 'refused', 'actions', 'task_end');

export const compactionStart = defineEvent('compaction.start', {
  about: "A summariser is asked to replace an agent's messages `from` (inclusive) to `to` (exclusive).",
  code: 'k<',
  subject: ofAgent,
  fields: {
    compactionId: text,
    from: count,
    to: count,
    /** The summary before this one, and earlier ones; all become part of the new summary. */
    previous: optional(contentHash),
    earlier: optional(list(contentHash)),
    /** Existing summaries stay, in front of this one. */
    separate: optional(oneOf(true)),
    reason: compactionReason,
    /** Estimated tokens that the next prompt would have had. */
    tokens: number,
    /** The summariser's LLM config and its instructions. */
    llmConfig: text,
    instructions: contentHash,
    /** Upper bound of the summariser's use, reserved in the budgets. */
    reserve: optional(reserve),
  },
  describe: (event) =>
    `${messages(event)} of ${event.agentId}${event.previous === undefined ? '' : ', with the summary before them,'} go to a summariser (${event.reason}, about ${event.tokens} tokens)`,
});

export const compactionEnd = defineEvent('compaction.end', {
  about: 'A summariser has finished: with `head`, prompts begin with that summary and message `to`; with `error`, nothing changes.',
  code: 'k>',
  subject: ofAgent,
  fields: {
    compactionId: text,
    from: count,
    to: count,
    head: optional(contentHash),
    headTokens: optional(number),
    error: optional(errorRecord),
    usage,
    cost: optional(number),
    attempts,
    /** Number of its first attempts that `model.reserve` charged. */
    charged: optional(count),
    /** Use of its call, when that has no outcome on record: counted until its attempts are known. */
    estimate: optional(use),
  },
  describe: (event) =>
    event.error === undefined
      ? `a summary replaces ${messages(event)} of ${event.agentId}`
      : `${messages(event)} of ${event.agentId} could not be summarised: ${event.error.message}`,
});

/** The messages a summary covers; the record's end is exclusive. */
function messages({ from, to }: { readonly from: number; readonly to: number }): string {
  return `messages ${from} to ${to - 1}`;
}

export type TrimReason = TypeOf<typeof trimReason>;
export type CompactionReason = TypeOf<typeof compactionReason>;
export type ContextTrim = DraftOf<typeof contextTrim>;
export type CompactionStart = DraftOf<typeof compactionStart>;
export type CompactionEnd = DraftOf<typeof compactionEnd>;
