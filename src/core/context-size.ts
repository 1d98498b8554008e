import type { AgentState } from './state.ts';
import { contentTokens, estimateTokens } from './token-estimate.ts';
import type { TurnInput, TurnPrompt } from './turn.ts';

/*
 * How big a prompt is, without looking at history: an agent's state has running totals of its messages' estimates, and what
 * its provider counted last corrects them.
 */

/** What a prompt is made of, as far as its size goes; `system` and `tools` are estimates of those texts. */
export interface PromptSize {
  readonly system: number;
  readonly tools: number;
  /** The stored messages in view: from (inclusive) to (exclusive; all when absent). */
  readonly from: number;
  readonly to?: number;
  /** What the turn reads; with `to` absent, persistent inputs are not among the messages yet and count here. */
  readonly inputs?: readonly TurnInput[];
}

/** The estimated tokens of an agent's messages `from` (inclusive) to `to` (exclusive), in constant time. */
export function viewTokens(agent: AgentState, from: number, to: number = Number.POSITIVE_INFINITY): number {
  return Math.max(0, totalBefore(agent, to) - totalBefore(agent, from));
}

/** What the history up to a message comes to; positions count from its start, released or not. */
function totalBefore({ tokenTotals, released, tokensReleased }: AgentState, position: number): number {
  const index = Math.min(position - released, tokenTotals.length) - 1;
  return index < 0 ? tokensReleased : (tokenTotals[index] ?? tokensReleased);
}

/** The engine's own estimate of a prompt, from its texts alone; `correctedTokens` makes the best figure of it. */
export function estimatePrompt(agent: AgentState, size: PromptSize): number {
  let tokens = size.system + size.tools + viewTokens(agent, size.from, size.to);
  for (const input of size.inputs ?? []) if (size.to === undefined || !input.persistent) tokens += contentTokens(input.content);
  return tokens;
}

/**
 * The best figure for a prompt whose own estimate is known: what the provider counted for the last prompt, and the estimate
 * of what is new since. When the view has moved, the provider's count says how far off the estimates are.
 */
export function correctedTokens(agent: AgentState, from: number, estimated: number): number {
  const { counted } = agent;
  if (counted === undefined) return estimated;
  if (counted.from === from) return Math.max(1, estimated + counted.tokens - counted.estimated);
  return Math.ceil((estimated * counted.tokens) / Math.max(1, counted.estimated));
}

/** What the prompt of a turn comes to, by the best figure there is; undefined in journals that do not say. */
export function promptTokens(agent: AgentState, prompt: TurnPrompt | undefined): number | undefined {
  return prompt?.tokens === undefined ? undefined : correctedTokens(agent, prompt.from, prompt.tokens);
}

/** What a count of the provider must at least come to, as a share of the estimate, to be one of the whole prompt. */
const leastShare = 1 / 4;

/**
 * What a provider's count for a prompt teaches; undefined when it cannot be one of the whole prompt. Some providers leave
 * out what they had cached, and models for tests say anything.
 */
export function countedPrompt(prompt: TurnPrompt | undefined, inputTokens: number | undefined): AgentState['counted'] {
  if (prompt?.tokens === undefined || inputTokens === undefined || inputTokens < prompt.tokens * leastShare) return undefined;
  return { from: prompt.from, estimated: prompt.tokens, tokens: inputTokens };
}

/** About how many tokens a prompt made now would have, with what has come in since the last one. Constant time per item. */
export function contextTokens(agent: AgentState, lastPrompt: TurnPrompt | undefined): number {
  const from = lastPrompt?.from ?? 0;
  const since = lastPrompt === undefined ? 0 : lastPrompt.to;
  const before = lastPrompt?.tokens ?? (lastPrompt === undefined ? 0 : viewTokens(agent, from, lastPrompt.to));
  let tokens = correctedTokens(agent, from, before + viewTokens(agent, since));
  for (const { item } of agent.inbox) tokens += estimateTokens(payloadText(item.payload));
  return tokens;
}

function payloadText(payload: unknown): string {
  return typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? '');
}
