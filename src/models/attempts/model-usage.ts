import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import { priceAt } from '../../core/model/model-price.ts';
import type { Usage } from '../../core/model/model.ts';

/** Parses the usage of a `finish` part of any spec version; omits counts that are missing, negative or not numbers. */
export function parseUsage(raw: unknown): Usage {
  if (typeof raw !== 'object' || raw === null) return {};
  const source = raw as Readonly<Record<string, unknown>>;
  // Spec v2 has plain numbers, v3 and v4 have a breakdown per side.
  const inputTokens = toCount(source['inputTokens']) ?? readCount(source['inputTokens'], 'total');
  const outputTokens = toCount(source['outputTokens']) ?? readCount(source['outputTokens'], 'total');
  const cacheReadTokens = toCount(source['cachedInputTokens']) ?? readCount(source['inputTokens'], 'cacheRead');
  const cacheWriteTokens = readCount(source['inputTokens'], 'cacheWrite');
  const reasoningTokens = toCount(source['reasoningTokens']) ?? readCount(source['outputTokens'], 'reasoning');
  return usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}

/** Adds two usages; a count is absent only when neither side has it. */
export function addUsage(left: Usage, right: Usage): Usage {
  if (left === nothing) return right;
  const inputTokens = addCounts(left.inputTokens, right.inputTokens);
  const outputTokens = addCounts(left.outputTokens, right.outputTokens);
  const cacheReadTokens = addCounts(left.cacheReadTokens, right.cacheReadTokens);
  const cacheWriteTokens = addCounts(left.cacheWriteTokens, right.cacheWriteTokens);
  const reasoningTokens = addCounts(left.reasoningTokens, right.reasoningTokens);
  return usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}

/** The usage of no call. */
export const nothing: Usage = {};

type Counts = { readonly [Key in keyof Usage]-?: number | undefined };

function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }: Counts): Usage {
  const usage: Writable<Usage> = {};
  if (inputTokens !== undefined) usage.inputTokens = inputTokens;
  if (outputTokens !== undefined) usage.outputTokens = outputTokens;
  if (cacheReadTokens !== undefined) usage.cacheReadTokens = cacheReadTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
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

function addCounts(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : left + right;
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function readCount(value: unknown, key: string): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return toCount((value as Readonly<Record<string, unknown>>)[key]);
}
