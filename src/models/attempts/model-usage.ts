import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import { priceAt } from '../../core/model/model-price.ts';
import type { Usage } from '../../core/model/model.ts';

/** Untrusted counts of one side, as spec v3 and v4 have them. */
interface Breakdown {
  readonly total?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
}

/** Parses the usage of a `finish` part of any spec version; omits counts that are missing, negative or not numbers. */
export function parseUsage(raw: unknown): Usage {
  if (typeof raw !== 'object' || raw === null) return {};
  const source = raw as Readonly<Record<string, unknown>>;
  const { inputTokens, outputTokens } = source;
  const usage: Writable<Usage> = {};
  // Spec v2 has plain numbers, v3 and v4 have a breakdown per side.
  const input: Breakdown | null = typeof inputTokens === 'object' ? inputTokens : { total: inputTokens };
  const output: Breakdown | null = typeof outputTokens === 'object' ? outputTokens : { total: outputTokens };
  if (input?.total !== undefined) count(usage, 'inputTokens', input.total);
  if (output?.total !== undefined) count(usage, 'outputTokens', output.total);
  if (input?.cacheRead !== undefined) count(usage, 'cacheReadTokens', input.cacheRead);
  if (input?.cacheWrite !== undefined) count(usage, 'cacheWriteTokens', input.cacheWrite);
  if (output?.reasoning !== undefined) count(usage, 'reasoningTokens', output.reasoning);
  // Beside the plain numbers of spec v2; they win.
  if (source['cachedInputTokens'] !== undefined) count(usage, 'cacheReadTokens', source['cachedInputTokens']);
  if (source['reasoningTokens'] !== undefined) count(usage, 'reasoningTokens', source['reasoningTokens']);
  return usage;
}

/** Computes the cost of a usage in US dollars; undefined (unknown, not zero) without a price or without both counts. */
export function costOf(usage: Usage, price: LlmConfig['price']): number | undefined {
  if (price === undefined || usage.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  const rates = priceAt(price, usage.inputTokens);
  const read = Math.min(usage.cacheReadTokens ?? 0, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - read);
  const thought = Math.min(usage.reasoningTokens ?? 0, usage.outputTokens);
  const input =
    (usage.inputTokens - read - written) * rates.input +
    read * (rates.cacheRead ?? rates.input) +
    written * (rates.cacheWrite ?? rates.input);
  const output = (usage.outputTokens - thought) * rates.output + thought * (rates.reasoning ?? rates.output);
  return (input + output) / 1_000_000;
}

/** Sets a count; one that is no number or negative is left as it is. */
function count(usage: Writable<Usage>, key: keyof Usage, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) usage[key] = value;
}
