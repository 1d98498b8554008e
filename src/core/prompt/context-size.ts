import { isJsonObject, type JsonValue } from '../json.ts';
import type { SubContext } from '../state/sub-context.ts';
import { contentTokens, estimateTokens } from './token-estimate.ts';
import type { TurnInput, TurnPrompt } from '../state/turn.ts';

/*
 * Size of a prompt, without reading the history: an agent's state has running totals of its messages' estimates, and its
 * provider's last count corrects them.
 */

/** Returns the estimated tokens of an agent's messages `from` (inclusive) to `to` (exclusive), in constant time. */
export function viewTokens({ context, history }: SubContext, from: number, to?: number): number {
  const { tokenTotals, tokensReleased } = context;
  const newest = tokenTotals.length - 1;
  // Positions count from the start of the history, released or not; a total includes its own message.
  const last = to === undefined ? newest : Math.min(to - history.released - 1, newest);
  const before = Math.min(from - history.released - 1, newest);
  const whole = last < 0 ? tokensReleased : (tokenTotals[last] ?? tokensReleased);
  return Math.max(0, whole - (before < 0 ? tokensReleased : (tokenTotals[before] ?? tokensReleased)));
}

/**
 * Estimates an agent's next prompt from its texts alone: `fixed` are the tokens of system text and tools, `inputs` the items
 * that the turn reads. `correctedTokens` improves the figure with the provider's counts.
 */
export function estimatePrompt(agent: SubContext, fixed: number, inputs: readonly TurnInput[]): number {
  let tokens = fixed + agent.context.view.headTokens + viewTokens(agent, agent.context.view.from);
  for (const input of inputs) tokens += contentTokens(input.content);
  return tokens;
}

/**
 * Returns the best figure for a prompt with a known estimate: the provider's count for the last prompt, plus the estimate of
 * everything new. If the view has moved, scales the estimate by the error of the last one.
 */
export function correctedTokens(agent: SubContext, from: number, estimated: number): number {
  const {
    context: { counted },
  } = agent;
  if (counted === undefined) return estimated;
  if (counted.from === from) return Math.max(1, estimated + counted.tokens - counted.estimated);
  return Math.ceil((estimated * counted.tokens) / Math.max(1, counted.estimated));
}

/** Returns the best figure for a turn's prompt; undefined in journals that do not record one. */
export function promptTokens(agent: SubContext, prompt: TurnPrompt | undefined): number | undefined {
  return prompt?.tokens === undefined ? undefined : correctedTokens(agent, prompt.from, prompt.tokens);
}

/** Smallest share of the estimate at which a provider's count can be one of the whole prompt. */
const leastShare = 1 / 4;

/**
 * Returns the estimate and the provider's count of a prompt; undefined when the count cannot cover the whole prompt. Some
 * providers leave out cached tokens, and test models report any number.
 */
export function countedPrompt(prompt: TurnPrompt | undefined, inputTokens: number | undefined): SubContext['context']['counted'] {
  if (prompt?.tokens === undefined || inputTokens === undefined || inputTokens < prompt.tokens * leastShare) return undefined;
  return { from: prompt.from, estimated: prompt.tokens, tokens: inputTokens };
}

/** Estimates the tokens of a prompt made now, with the items in the inbox. Constant time per waiting item. */
export function contextTokens(agent: SubContext): number {
  const {
    context: { view },
  } = agent;
  let tokens = Math.max(0, agent.context.fixedTokens + view.headTokens + viewTokens(agent, view.from));
  for (const { item } of agent.inbox.items) tokens += payloadTokens(item.payload);
  return correctedTokens(agent, view.from, tokens);
}

/** Returns an upper bound of `contextTokens` without reading the waiting items; infinite when their size is unknown. */
export function contextTokensAtMost(agent: SubContext): number {
  const {
    context: { view },
  } = agent;
  let tokens = Math.max(0, agent.context.fixedTokens + view.headTokens + viewTokens(agent, view.from));
  for (const { item } of agent.inbox.items) tokens += payloadTokensAtMost(item.payload);
  return correctedTokens(agent, view.from, tokens);
}

/** A text never has more tokens than characters. */
function payloadTokensAtMost(payload: JsonValue): number {
  if (typeof payload === 'string') return payload.length;
  if (!isJsonObject(payload)) return Number.POSITIVE_INFINITY;
  let tokens = 0;
  for (const key in payload) {
    const value = payload[key];
    if (typeof value === 'string') tokens += value.length;
    else if (typeof value === 'number' || typeof value === 'boolean') tokens += mostCharsOfScalar;
    else if (value !== undefined && value !== null) return Number.POSITIVE_INFINITY;
  }
  return tokens;
}

// -1.2345678901234567e-308 has 24.
const mostCharsOfScalar = 32;

/** Estimates an item's payload without serialising all of it: most of it is one text. */
function payloadTokens(payload: JsonValue): number {
  if (typeof payload === 'string') return estimateTokens(payload);
  if (!isJsonObject(payload)) return estimateTokens(JSON.stringify(payload));
  let tokens = 0;
  for (const key in payload) {
    const value = payload[key];
    if (typeof value === 'string') tokens += estimateTokens(value);
    else if (value !== undefined && value !== null) tokens += estimateTokens(JSON.stringify(value));
  }
  return tokens;
}
