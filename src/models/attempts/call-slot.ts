import type { Clock } from '../../core/clock.ts';
import { defaultMaxQueueMs, type LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelRequest, Usage } from '../../core/model/model.ts';
import { messageTokens } from '../../core/prompt/token-estimate.ts';
import type { ModelTraffic, TargetKey } from '../adapter/model-traffic.ts';
import { readRateNotice } from './rate-headers.ts';
import type { LaneEntry, LanePass, LaneRefusal, RateLane } from './rate-lane.ts';

// Tokens assumed for a reply before it arrives.
const expectedReplyTokens = 1_000;

/** Dependencies and settings of a `CallSlot`. */
export interface CallSlotInput {
  readonly traffic: ModelTraffic;
  readonly clock: Clock;
  readonly key: TargetKey;
  readonly config: LlmConfig;
  readonly request: ModelRequest;
  readonly totalDue: number;
  readonly ticket: number;
}

/**
 * Slots of a call on one config, in the lane of its provider key. A lane exists only once a config has a limit, or a provider
 * reports one or returns 429; until then this costs nothing.
 */
export class CallSlot {
  readonly #input: CallSlotInput;
  #lane: RateLane | undefined;
  #pass: LanePass | undefined;

  constructor(input: CallSlotInput) {
    this.#input = input;
  }

  /** Waits for a slot for the next attempt; undefined when there is no lane to wait in. */
  enter(): LanePass | LaneRefusal | Promise<LanePass | LaneRefusal> | undefined {
    const { traffic, key, config } = this.#input;
    this.#lane ??= config.rateLimit === undefined ? traffic.findLane(key) : traffic.laneOf(key);
    if (this.#lane === undefined) return undefined;
    const entered = this.#lane.enter(this.#entry());
    if (entered instanceof Promise) return entered.then((end) => this.#keep(end));
    return this.#keep(entered);
  }

  /** Passes on the headers of the provider's response. */
  answered(headers: Readonly<Record<string, unknown>> | undefined): void {
    const { traffic, key, config, clock } = this.#input;
    const notice = headers === undefined ? undefined : readRateNotice(headers, clock.now());
    if (this.#pass !== undefined) return this.#lane?.answered(this.#pass, notice);
    if (notice !== undefined) traffic.laneOf(key).observe(config.model, notice);
  }

  /** Pauses the key for this model after a rate limit error. */
  pause(ms: number): void {
    const { traffic, key, config } = this.#input;
    traffic.laneOf(key).paused(config.model, ms);
  }

  /** Reports the end of the attempt. */
  end({ inputTokens, outputTokens }: Usage): void {
    const pass = this.#pass;
    this.#pass = undefined;
    if (pass === undefined) return;
    this.#lane?.ended(pass, inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0));
  }

  #keep(end: LanePass | LaneRefusal): LanePass | LaneRefusal {
    if (end.kind === 'pass') this.#pass = end;
    return end;
  }

  #entry(): LaneEntry {
    const { config, request, clock, totalDue, ticket } = this.#input;
    const { rateLimit } = config;
    const until = Math.min(totalDue, clock.monotonic() + (rateLimit?.maxWaitMs ?? defaultMaxQueueMs));
    const tokens = this.#estimate();
    return { ticket, model: config.model, limit: rateLimit, tokens, until, signal: request.signal };
  }

  /** Estimates the tokens of the call. Scans the prompt only when the engine has not given its size. */
  #estimate(): number {
    const { config, request } = this.#input;
    const reply = Math.min(request.maxOutputTokens ?? config.maxOutputTokens ?? expectedReplyTokens, expectedReplyTokens);
    if (request.promptTokens !== undefined) return request.promptTokens + reply;
    if (config.rateLimit?.tokensPerMinute === undefined) return reply;
    return request.messages.reduce((sum, message) => sum + messageTokens(message), reply);
  }
}
