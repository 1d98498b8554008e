import type { Writable } from '../json.ts';
import type { ModelAttempt, Usage } from './model.ts';

/** Adds two usages; a count is absent only when neither side has it. */
export function addUsage(left: Usage, right: Usage): Usage {
  const inputTokens = addCounts(left.inputTokens, right.inputTokens);
  const outputTokens = addCounts(left.outputTokens, right.outputTokens);
  const cacheReadTokens = addCounts(left.cacheReadTokens, right.cacheReadTokens);
  const cacheWriteTokens = addCounts(left.cacheWriteTokens, right.cacheWriteTokens);
  const reasoningTokens = addCounts(left.reasoningTokens, right.reasoningTokens);
  return usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}

/** Tokens and US dollars that something used; an absent cost is unknown. */
export interface Use {
  readonly usage: Usage;
  readonly cost?: number;
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

/** Use of several attempts. */
export interface AttemptsUse {
  readonly usage: Usage;
  /** US dollars; undefined when that of any attempt is unknown. */
  readonly cost: number | undefined;
  /** The known part of the cost. */
  readonly costAtLeast: number;
}

/** Sums what attempts used without an answer that counts. */
export function useOf(attempts: readonly ModelAttempt[]): AttemptsUse {
  let usage = nothing;
  let costAtLeast = 0;
  let isCostKnown = true;
  for (const attempt of attempts) {
    if (attempt.usage === undefined) continue;
    usage = addUsage(usage, attempt.usage);
    if (attempt.cost === undefined) isCostKnown = false;
    else costAtLeast += attempt.cost;
  }
  return { usage, cost: isCostKnown ? costAtLeast : undefined, costAtLeast };
}

/** End of a model call: its use in all, with its attempts, of which the first `charged` were charged before. */
interface EndOfCall extends Use {
  readonly attempts: readonly ModelAttempt[];
  readonly charged?: number;
}

/** Returns what the end of a model call adds to its attempts that were charged before. */
export function restOfCall({ usage, cost, attempts, charged = 0 }: EndOfCall): Use {
  if (charged === 0) return cost === undefined ? { usage } : { usage, cost };
  const before = useOf(attempts.slice(0, charged));
  const rest = lessUsage(usage, before.usage);
  // An unknown cost leaves the known parts charged.
  return cost === undefined ? { usage: rest } : { usage: rest, cost: Math.max(0, cost - before.costAtLeast) };
}

function lessUsage(all: Usage, charged: Usage): Usage {
  const rest: Writable<Usage> = {};
  for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    const left = (all[key] ?? 0) - (charged[key] ?? 0);
    // Nothing is left where the last attempt was not counted: it is estimated.
    if (left > 0) rest[key] = left;
  }
  return rest;
}

function addCounts(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : left + right;
}
