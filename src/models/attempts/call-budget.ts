import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelPrice, TokenPrice } from '../../core/model/model-price.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { Writable } from '../../core/json.ts';
import { estimateTokens, messageTokens } from '../../core/prompt/token-estimate.ts';
import type { AttemptLog } from './attempt-log.ts';
import { lastingFailure, type ModelFailure } from './model-failure.ts';

/** Returns the estimated tokens of a request; scans it only when the engine has not given its size. */
export function requestTokens({ promptTokens, messages, tools }: ModelRequest): number {
  if (promptTokens !== undefined) return promptTokens;
  const fixed = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + messageTokens(message), fixed);
}

/**
 * What the budgets of a run leave for one model call.
 *
 * Its first attempt was reserved with its turn, unless the request says otherwise. Every attempt after one that used something, and every attempt on a config that may use
 * more, is asked for: what was used is charged first, and an attempt that does not fit is not begun.
 */
export class CallBudget {
  /** The request of the next attempt: its reply is bound to what is left. */
  request: ModelRequest;
  readonly #log: AttemptLog;
  /** Config that the reservation was made for; undefined before there is one. */
  #reserved: LlmConfig | undefined;

  constructor(request: ModelRequest, log: AttemptLog) {
    this.request = request;
    this.#log = log;
    this.#reserved = request.isUnreserved === true ? undefined : request.config;
  }

  /** True when the reservation covers an attempt on a config. */
  covers(config: LlmConfig): boolean {
    if (this.request.mayTry === undefined) return true;
    const reserved = this.#reserved;
    return reserved !== undefined && !this.#log.hasUse && (config === reserved || isCheaper(config, reserved));
  }

  /** Asks for an attempt on a config; returns the failure that ends the call when it does not fit. */
  async ask(config: LlmConfig): Promise<ModelFailure | undefined> {
    const { request } = this;
    const { name, maxOutputTokens, price } = config;
    const { promptTokens } = this.#log;
    const verdict = await request.mayTry?.({
      made: this.#log.take(),
      // A provider that counted the prompt before knows it better than the estimate.
      promptTokens: Math.max(requestTokens(request), promptTokens),
      config: { name, ...(maxOutputTokens !== undefined && { maxOutputTokens }), ...(price !== undefined && { price }) },
    });
    if (verdict === undefined) return undefined;
    if (verdict.kind === 'refused') return lastingFailure(verdict.error.code, verdict.error.message);
    const { maxOutputTokens: _, ...rest } = request;
    const bound: Writable<ModelRequest> = rest;
    if (verdict.maxOutputTokens !== undefined) bound.maxOutputTokens = verdict.maxOutputTokens;
    this.request = bound;
    this.#reserved = config;
    return undefined;
  }
}

/** True when a call of one config never uses more than one of the other. */
function isCheaper(config: LlmConfig, than: LlmConfig): boolean {
  const most = than.maxOutputTokens;
  // Without a longest reply of their own, both count on the same.
  if (
    config.maxOutputTokens !== most &&
    (most === undefined || config.maxOutputTokens === undefined || config.maxOutputTokens > most)
  )
    return false;
  if (config.price === undefined || than.price === undefined) return config.price === than.price;
  return dearest(config.price) <= cheapest(than.price);
}

function dearest(price: ModelPrice): number {
  return Math.max(...ratesOf(price), ...(price.above === undefined ? [] : ratesOf(price.above)));
}

function cheapest({ input, output, above }: ModelPrice): number {
  return Math.min(input, output, above?.input ?? input, above?.output ?? output);
}

function ratesOf({ input, output, reasoning = output, cacheWrite = input }: TokenPrice): readonly number[] {
  return [input, output, reasoning, cacheWrite];
}
