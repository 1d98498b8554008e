import type { FilePart } from '../../core/prompt/message.ts';
import { contentTokens, estimateTokens } from '../../core/prompt/token-estimate.ts';
import { lastingFailure, type ModelFailure } from '../attempts/model-failure.ts';

/** Most characters of text, reasoning and arguments in one reply. */
export const MAX_REPLY_CHARS = 2_000_000;

/** Most tool calls in one reply. */
export const MAX_REPLY_CALLS = 1_000;

/** Most characters of encoded files in one reply. */
export const MAX_FILE_CHARS = 32_000_000;

/** Failure of a reply that exceeds its size limits. */
export const replyTooLarge: ModelFailure = lastingFailure(
  'MODEL_OUTPUT_TOO_LARGE',
  `The reply grew past ${MAX_REPLY_CHARS} characters (${MAX_FILE_CHARS} in files) and was stopped. ` +
    'Set max_output_tokens in the LLM config.',
);

/** Failure of a reply with too many calls. */
export const tooManyCalls: ModelFailure = lastingFailure(
  'MODEL_OUTPUT_TOO_LARGE',
  `The reply holds more than ${MAX_REPLY_CALLS} tool calls and was stopped; none of them runs.`,
);

/** Characters per token of the arguments of calls, which may be cut anywhere. */
const charsPerTokenOfJson = 3;

/** What has arrived of a reply: `chars` are those of texts and whole calls, `inputChars` those of calls that stream. */
interface ReplySize {
  readonly text: string;
  readonly reasoning: string;
  readonly chars: number;
  readonly inputChars: number;
  readonly files: readonly FilePart[] | undefined;
}

/** Estimates the tokens of what has arrived of a reply. */
export function replyTokens({ text, reasoning, chars, inputChars, files }: ReplySize): number {
  const ofCalls = Math.max(inputChars, chars - text.length - reasoning.length) / charsPerTokenOfJson;
  return Math.ceil(estimateTokens(text) + estimateTokens(reasoning) + ofCalls + (files === undefined ? 0 : contentTokens(files)));
}
