import type { Clock } from '../core/clock.ts';
import { describeThrown, type ErrorRecord } from '../core/error.ts';
import type { JsonObject, Writable } from '../core/json.ts';
import type { LlmConfig } from '../core/llm-config.ts';
import type { ModelAttempt, ModelOutcome, ModelReply, ModelRequest, Usage } from '../core/model.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';
import { classifyThrown } from './classify-thrown.ts';
import { lastingFailure, type ModelFailure } from './model-failure.ts';
import type { ModelResolver } from './model-resolver.ts';
import { addUsage, costOf, nothing } from './model-usage.ts';
import { redactSecrets } from './redact-secrets.ts';
import { chooseWait, waitFor } from './retry-wait.ts';
import { runAttempt, type AttemptEnd } from './run-attempt.ts';

/** What a call needs besides its request. */
export interface ModelCallTools {
  readonly resolver: ModelResolver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly llmConfigs: (name: string) => LlmConfig | undefined;
}

// Longest partial text of a failed attempt that is kept for the record, in characters.
const keptPartialChars = 32_000;

/** How one config came out: an outcome that ends the call, or a failure that the next config may make good. */
type ConfigEnd =
  | { readonly kind: 'outcome'; readonly outcome: ModelOutcome }
  | { readonly kind: 'failure'; readonly failure: ModelFailure };

/**
 * One model call: attempts on its config, then on its fallbacks in order.
 *
 * 1. Every attempt is on the record, failed or not, and so is every fallback that could not be called.
 * 2. A reply is only ever a stream that came to a proper end; nothing of a failed attempt is part of it.
 * 3. Retries are for failures that pass. An abort, a refusal or a rejected request is not repeated.
 * 4. The total deadline holds for all attempts and waits on one config together.
 * 5. No message holds a key or a header.
 */
export class ModelCall {
  readonly #request: ModelRequest;
  readonly #tools: ModelCallTools;
  readonly #attempts: ModelAttempt[] = [];
  #usage: Usage = nothing;
  /** Undefined once some attempt's cost is not known. */
  #cost: number | undefined = 0;

  constructor(request: ModelRequest, tools: ModelCallTools) {
    this.#request = request;
    this.#tools = tools;
  }

  /** Makes the call; never throws. */
  async run(): Promise<ModelOutcome> {
    const { config } = this.#request;
    try {
      let end = await this.#tryConfig(config);
      for (const name of config.fallbacks) {
        if (end.kind === 'outcome' || isFinal(end.failure)) break;
        end = await this.#tryFallback(name);
      }
      return end.kind === 'outcome' ? end.outcome : this.#failed(end.failure);
    } catch (thrown) {
      return this.#failed(lastingFailure('INTERNAL', `The model call broke: ${describeThrown(thrown)}`));
    }
  }

  /** Most models are at hand: waiting for them all the same would cost every call a tick. */
  #tryConfig(asked: LlmConfig): ConfigEnd | Promise<ConfigEnd> {
    try {
      const resolved = this.#tools.resolver.resolve(asked);
      if (!resolved.ok) return this.#notCallable(asked, resolved.error);
      const opened = resolved.open();
      return opened instanceof Promise ? this.#tryLoading(opened, asked, resolved.config) : this.#tryModel(opened, resolved.config);
    } catch (thrown) {
      return this.#notCallable(asked, classifyThrown(thrown));
    }
  }

  async #tryLoading(loading: Promise<AiSdkModel>, asked: LlmConfig, config: LlmConfig): Promise<ConfigEnd> {
    let model: AiSdkModel;
    try {
      model = await loading;
    } catch (thrown) {
      return this.#notCallable(asked, classifyThrown(thrown));
    }
    return await this.#tryModel(model, config);
  }

  #tryFallback(name: string): ConfigEnd | Promise<ConfigEnd> {
    const fallback = this.#tools.llmConfigs(name);
    if (fallback !== undefined) return this.#tryConfig(fallback);
    const asked = this.#request.config.name;
    const failure = lastingFailure('MODEL_UNKNOWN', `There is no LLM config "${name}", which "${asked}" names as a fallback.`);
    this.#attempts.push({ config: name, model: '', startedAt: this.#tools.clock.now(), ms: 0, error: toRecord(failure) });
    return { kind: 'failure', failure };
  }

  async #tryModel(model: AiSdkModel, config: LlmConfig): Promise<ConfigEnd> {
    const { clock } = this.#tools;
    const { signal } = this.#request;
    const totalDue = clock.monotonic() + config.deadlines.total;
    let wasEmpty = false;
    for (let retry = 0; ; retry += 1) {
      const started = { wall: clock.now(), monotonic: clock.monotonic() };
      const attempt = this.#attempts.length + 1;
      const end = await runAttempt({ model, config, request: this.#request, attempt, clock, totalDue });
      this.#count(end, config);
      const canRetry = retry < config.retry.maxRetries;
      if (end.kind === 'reply') {
        const empty = isEmpty(end.reply);
        const again = empty && canRetry && !wasEmpty && !signal.aborted;
        this.#record(model, config, started, end, replyError(end.reply, empty), again ? 0 : undefined);
        if (!again) return { kind: 'outcome', outcome: this.#replied(end.reply, end.warnings) };
        wasEmpty = true;
        continue;
      }
      const failure = this.#redact(end.failure, config);
      const waitMs =
        canRetry && failure.retryable ? chooseWait(config.retry, retry, failure.retryAfterMs, this.#tools.random) : undefined;
      const inTime = waitMs !== undefined && clock.monotonic() + waitMs < totalDue;
      this.#record(model, config, started, end, toRecord(failure), inTime ? waitMs : undefined);
      if (!inTime) return { kind: 'failure', failure };
      await waitFor(waitMs, clock, signal);
      if (signal.aborted) return { kind: 'failure', failure: abortedWhileWaiting };
    }
  }

  #record(
    model: AiSdkModel,
    config: LlmConfig,
    started: { readonly wall: number; readonly monotonic: number },
    end: AttemptEnd,
    error: ErrorRecord | undefined,
    waitMs: number | undefined,
  ): void {
    const partialText = end.kind === 'failure' ? capPartial(end.partialText) : '';
    const attempt: Writable<ModelAttempt> = {
      config: config.name,
      model: end.kind === 'reply' ? (end.reply.modelId ?? model.modelId) : model.modelId,
      startedAt: started.wall,
      ms: Math.round(this.#tools.clock.monotonic() - started.monotonic),
    };
    if (end.firstTokenMs !== undefined) attempt.firstTokenMs = Math.round(end.firstTokenMs);
    if (error !== undefined) attempt.error = error;
    if (partialText !== '') attempt.partialText = partialText;
    if (waitMs !== undefined) attempt.waitMs = waitMs;
    this.#attempts.push(attempt);
  }

  #count(end: AttemptEnd, config: LlmConfig): void {
    this.#usage = addUsage(this.#usage, end.usage);
    // A request that was turned away before its first token is not billed; what a cut stream costs is not known.
    const cost = end.kind === 'failure' && end.firstTokenMs === undefined ? 0 : costOf(end.usage, config.price);
    this.#cost = this.#cost === undefined || cost === undefined ? undefined : this.#cost + cost;
  }

  #replied(reply: ModelReply, warnings: readonly string[]): ModelOutcome {
    const outcome: Writable<Extract<ModelOutcome, { kind: 'reply' }>> = {
      kind: 'reply',
      reply,
      usage: this.#usage,
      attempts: this.#attempts,
    };
    if (this.#cost !== undefined) outcome.cost = this.#cost;
    if (warnings.length > 0) outcome.warnings = warnings;
    return outcome;
  }

  #failed(failure: ModelFailure): ModelOutcome {
    const attempts = this.#attempts;
    const tries = attempts.length > 1 ? ` (the last of ${attempts.length} attempts; all are in the turn record)` : '';
    return {
      kind: 'error',
      error: { code: failure.code, message: `${failure.message}${tries}` },
      usage: this.#usage,
      ...(this.#cost !== undefined && { cost: this.#cost }),
      attempts,
      ...(failure.details !== undefined && { details: failure.details }),
    };
  }

  /** Puts a config that cannot be called on the record, so that a skipped fallback is not hidden. */
  #notCallable(config: LlmConfig, error: ErrorRecord): ConfigEnd {
    const failure = this.#redact(lastingFailure(error.code, error.message), config);
    const { name, model } = config;
    this.#attempts.push({ config: name, model, startedAt: this.#tools.clock.now(), ms: 0, error: toRecord(failure) });
    return { kind: 'failure', failure };
  }

  #redact(failure: ModelFailure, config: LlmConfig): ModelFailure {
    const secrets = this.#tools.resolver.secrets(config);
    const details = failure.details === undefined ? undefined : redactValues(failure.details, secrets);
    return { ...failure, message: redactSecrets(failure.message, secrets), ...(details !== undefined && { details }) };
  }
}

const abortedWhileWaiting = lastingFailure('MODEL_ABORTED', 'The model call was cancelled while it waited for its next attempt.');

/** An abort must not be answered by another model, and a refusal not be shopped around. */
function isFinal(failure: ModelFailure): boolean {
  return failure.code === 'MODEL_ABORTED' || failure.code === 'MODEL_REFUSED';
}

/** Nothing a caller could use: thinking alone is no answer. A reply that hit a limit or a filter says so itself. */
function isEmpty(reply: ModelReply): boolean {
  const ended = reply.finishReason === 'stop' || reply.finishReason === 'tool-calls';
  return ended && reply.toolCalls.length === 0 && (reply.files?.length ?? 0) === 0 && reply.text.trim() === '';
}

function replyError(reply: ModelReply, empty: boolean): ErrorRecord | undefined {
  if (empty) return { code: 'MODEL_EMPTY_REPLY', message: 'The model ended its reply without any text or tool call.' };
  if (reply.finishReason !== 'content-filter') return undefined;
  return { code: 'MODEL_REFUSED', message: "The provider's content filter stopped the reply." };
}

function toRecord({ code, message }: ModelFailure): ErrorRecord {
  return { code, message };
}

function capPartial(text: string): string {
  return text.length <= keptPartialChars ? text : `${text.slice(0, keptPartialChars).toWellFormed()}… (${text.length} characters)`;
}

function redactValues(details: JsonObject, secrets: readonly string[]): JsonObject {
  const entries = Object.entries(details).map(([key, value]) => [
    key,
    typeof value === 'string' ? redactSecrets(value, secrets) : value,
  ]);
  return Object.fromEntries(entries);
}
