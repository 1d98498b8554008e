import { isJsonObject, type JsonValue } from '../json.ts';
import type { SubContext } from '../state/sub-context.ts';
import { contentTokens, estimateTokens } from './token-estimate.ts';
import type { TurnInput, TurnPrompt } from '../state/turn.ts';

/*
 * How big a prompt is, without looking at history: an agent's state has running totals of its messages' estimates, and what
 * its provider counted last corrects them.
 */

/** The estimated tokens of an agent's messages `from` (inclusive) to `to` (exclusive), in constant time. */
export function viewTokens(agent: SubContext, from: number, to: number = Number.POSITIVE_INFINITY): number {
  return Math.max(0, totalBefore(agent, to) - totalBefore(agent, from));
}

/** What the history up to a message comes to; positions count from its start, released or not. */
function totalBefore({ context: { tokenTotals, tokensReleased }, history: { released } }: SubContext, position: number): number {
  const index = Math.min(position - released, tokenTotals.length) - 1;
  return index < 0 ? tokensReleased : (tokenTotals[index] ?? tokensReleased);
}

/**
 * The engine's own estimate of an agent's next prompt, from its texts alone: `fixed` is what the system text and the tools
 * come to, `inputs` what the turn reads. `correctedTokens` makes the best figure of it.
 */
export function estimatePrompt(agent: SubContext, fixed: number, inputs: readonly TurnInput[]): number {
  let tokens = fixed + agent.context.view.headTokens + viewTokens(agent, agent.context.view.from);
  for (const input of inputs) tokens += contentTokens(input.content);
  return tokens;
}

/**
 * The best figure for a prompt whose own estimate is known: what the provider counted for the last prompt, and the estimate
 * of what is new since. When the view has moved, the provider's count says how far off the estimates are.
 */
export function correctedTokens(agent: SubContext, from: number, estimated: number): number {
  const {
    context: { counted },
  } = agent;
  if (counted === undefined) return estimated;
  if (counted.from === from) return Math.max(1, estimated + counted.tokens - counted.estimated);
  return Math.ceil((estimated * counted.tokens) / Math.max(1, counted.estimated));
}

/** What the prompt of a turn comes to, by the best figure there is; undefined in journals that do not say. */
export function promptTokens(agent: SubContext, prompt: TurnPrompt | undefined): number | undefined {
  return prompt?.tokens === undefined ? undefined : correctedTokens(agent, prompt.from, prompt.tokens);
}

/** What a count of the provider must at least come to, as a share of the estimate, to be one of the whole prompt. */
const leastShare = 1 / 4;

/**
 * What a provider's count for a prompt teaches; undefined when it cannot be one of the whole prompt. Some providers leave
 * out what they had cached, and models for tests say anything.
 */
export function countedPrompt(prompt: TurnPrompt | undefined, inputTokens: number | undefined): SubContext['context']['counted'] {
  if (prompt?.tokens === undefined || inputTokens === undefined || inputTokens < prompt.tokens * leastShare) return undefined;
  return { from: prompt.from, estimated: prompt.tokens, tokens: inputTokens };
}

/** About how many tokens a prompt made now would have, with what waits in the inbox. Constant time per waiting item. */
export function contextTokens(agent: SubContext): number {
  const {
    context: { view },
  } = agent;
  let tokens = Math.max(0, agent.context.fixedTokens + view.headTokens + viewTokens(agent, view.from));
  for (const { item } of agent.inbox.items) tokens += payloadTokens(item.payload);
  return correctedTokens(agent, view.from, tokens);
}

/** What `contextTokens` is at most, without a look into what waits; infinite when that cannot be told from outside. */
export function contextTokensAtMost(agent: SubContext): number {
  const {
    context: { view },
  } = agent;
  let tokens = Math.max(0, agent.context.fixedTokens + view.headTokens + viewTokens(agent, view.from));
  for (const { item } of agent.inbox.items) tokens += payloadTokensAtMost(item.payload);
  return correctedTokens(agent, view.from, tokens);
}

/** No text has more tokens than characters. */
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

/** An item's payload is looked at, not written out: most of it is one text. */
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
