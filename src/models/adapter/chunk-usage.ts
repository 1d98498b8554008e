import type { Writable } from '../../core/json.ts';
import type { Usage } from '../../core/model/model.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Tokens that a provider counts while it streams. Packages pass counts on with the end of a reply alone, which a stream that is cut has
 * not: Anthropic counts the prompt in its first chunk, Google and some servers count in every one.
 */
export class ChunkUsage {
  /** Tokens of the prompt, and of the reply, as they were counted last. */
  input = 0;
  output = 0;
  #counts: Writable<Usage> = {};
  /** Characters that had arrived when the reply was counted last. */
  #charsAt = 0;

  /** The counts so far. */
  get usage(): Usage {
    return this.#counts;
  }

  /** Takes a chunk as its provider sent it, with the number of characters that arrived before. */
  accept(chunk: unknown, chars: number): void {
    const told = countsIn(chunk);
    if (told === undefined) return;
    const cacheRead = first(told, 'cache_read_input_tokens', 'cacheReadInputTokens');
    const cacheWrite = first(told, 'cache_creation_input_tokens', 'cacheWriteInputTokens');
    const input = first(told, 'prompt_tokens', 'input_tokens', 'promptTokenCount', 'inputTokens');
    const output = first(told, 'completion_tokens', 'output_tokens', 'candidatesTokenCount', 'outputTokens');
    const thoughts = first(told, 'thoughtsTokenCount');
    const counts = this.#counts;
    // Those who name what was cached so count it apart.
    if (input !== undefined) counts.inputTokens = this.input = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
    if (output !== undefined || thoughts !== undefined) {
      counts.outputTokens = this.output = (output ?? 0) + (thoughts ?? 0);
      this.#charsAt = chars;
    }
    const details = fields(told['prompt_tokens_details'] ?? told['input_tokens_details']);
    const read = cacheRead ?? first(details, 'cached_tokens') ?? first(told, 'cachedContentTokenCount');
    const more = fields(told['completion_tokens_details'] ?? told['output_tokens_details']);
    const reasoning = thoughts ?? first(more, 'reasoning_tokens');
    if (read !== undefined) counts.cacheReadTokens = read;
    if (cacheWrite !== undefined) counts.cacheWriteTokens = cacheWrite;
    if (reasoning !== undefined) counts.reasoningTokens = reasoning;
  }

  /** Returns the tokens of a reply: as counted last, with an estimate of what came after; `tokens` is that of all its characters. */
  withRest(tokens: number, chars: number): number {
    const { outputTokens } = this.#counts;
    if (outputTokens === undefined) return tokens;
    return outputTokens + (chars === 0 ? 0 : Math.ceil((tokens * Math.max(0, chars - this.#charsAt)) / chars));
  }
}

/** Finds the counts in a chunk of any provider; undefined without any, as in most chunks. */
function countsIn(chunk: unknown): Fields | undefined {
  const { usage, message, response, usageMetadata, metadata } = fields(chunk);
  const told = usage ?? usageMetadata ?? fields(message)['usage'] ?? fields(response)['usage'] ?? fields(metadata)['usage'];
  return typeof told === 'object' && told !== null ? (told as Fields) : undefined;
}

/** Returns the first of these fields that is a count. */
function first(told: Fields, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = told[name];
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  }
  return undefined;
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
