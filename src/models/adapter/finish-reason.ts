import type { FinishReason } from '../../core/model/model.ts';

/** Finish reasons of a complete reply or one cut by a known limit. */
export type ProperEnd = Exclude<FinishReason, 'other'>;

/**
 * End of a stream. `proper`: a known reason; `none`: no reason, with `isCut` when the package considers the stream cut;
 * `broken-call`: the provider could not parse or rejected a tool call; `broken`: any other end, with the provider's word.
 */
export type StreamFinish =
  | { readonly kind: 'proper'; readonly reason: ProperEnd }
  | { readonly kind: 'none'; readonly isCut: boolean }
  | { readonly kind: 'broken-call' | 'broken'; readonly raw: string };

/** Finish reasons of servers, gateways and older models that AI SDK packages do not map, in lower case with underscores. */
const words: Readonly<Record<ProperEnd, string>> = {
  stop:
    'stop stopped stop_token stop_sequence stop_str eos eos_token eos_found eot end end_turn end_of_turn end_of_text endoftext ' +
    'end_of_sequence complete completed completion done finish finished success normal pause_turn',
  'tool-calls': 'tool_calls tool_call tool_use tool_uses tools function_call function_calls',
  length:
    'length max_tokens max_token max_length max_new_tokens max_output_tokens max_completion_tokens max_tokens_reached token_limit ' +
    'token_limit_reached model_length length_limit model_context_window_exceeded context_window_exceeded context_length_exceeded ' +
    'error_limit truncated',
  'content-filter':
    'content_filter content_filtered content_filtering content_policy_violation safety safety_filter recitation blocklist language ' +
    'prohibited_content spii model_armor image_safety image_prohibited_content image_recitation refusal refused guardrail ' +
    'guardrail_intervened guardrails sensitive error_toxic moderation content_moderation blocked filtered',
};

const meanings: ReadonlyMap<string, ProperEnd> = new Map(
  (Object.keys(words) as ProperEnd[]).flatMap((end) => words[end].split(' ').map((word) => [word, end] as const)),
);

const properEnds: ReadonlyMap<string, StreamFinish> = new Map(
  (Object.keys(words) as ProperEnd[]).map((reason) => [reason, { kind: 'proper', reason }]),
);

// Google's reasons for a call it discarded, and the forms its OpenAI-compatible endpoint and gateways give them.
const brokenCallWords =
  /malformed_(?:function|tool)_call|unexpected_(?:function|tool)_call|invalid_(?:function|tool)_call|too_many_tool_calls|function_call_filter|tool_use_failed/;

/**
 * Parses the finish reason of a `finish` part: text in spec v2, `{ unified, raw }` in v3 and v4. `native` is the reason in the
 * provider's own chunks, which the part may omit. `error`, `other`, `interrupted` and unknown reasons are broken ends (FAULTS M6).
 */
export function parseFinishReason(value: unknown, native = ''): StreamFinish {
  const isObject = typeof value === 'object' && value !== null;
  const { unified: given, raw: said }: GivenReason = isObject ? value : { unified: value };
  const unified = typeof given === 'string' ? given : '';
  const raw = typeof said === 'string' ? said : '';
  const known = properEnds.get(unified);
  // A usual word cannot name a broken call.
  if (known !== undefined && native === '' && (raw === '' || meanings.has(raw))) return known;
  const [word, nativeWord] = [raw, native].map((text) => text.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  for (const [each, wrong] of [
    [word, raw],
    [nativeWord, native],
  ] as const)
    if (each !== undefined && brokenCallWords.test(each)) return { kind: 'broken-call', raw: wrong };
  if (known !== undefined) return known;
  const meaning = meanings.get((word ?? '').replace(/^finish_reason_/, ''));
  if (meaning !== undefined && unified !== 'error') return { kind: 'proper', reason: meaning };
  if (raw !== '') return { kind: 'broken', raw };
  // Without a raw reason this is the package's default for a stream that gave none; v2 uses `unknown`.
  if (typeof value === 'string' && value !== 'unknown') return { kind: 'broken', raw: unified };
  return { kind: 'none', isCut: unified !== 'other' && unified !== 'unknown' };
}

/** Untrusted finish reason of spec v3 and v4. */
interface GivenReason {
  readonly unified?: unknown;
  readonly raw?: unknown;
}

/** True when an error only reports a missing finish reason, as newer packages do. */
export function isMissingReason(error: unknown): boolean {
  return error instanceof Error && /without (?:a )?finish.?reason/i.test(error.message);
}
