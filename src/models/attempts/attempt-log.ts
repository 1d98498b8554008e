import type { Clock } from '../../core/clock.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelAttempt, ModelOutcome, ModelReply, Usage } from '../../core/model/model.ts';
import type { AiSdkModel } from '../adapter/ai-sdk-model.ts';
import type { ModelFailure } from './model-failure.ts';
import { addUsage, nothing } from '../../core/model/usage.ts';
import { costOf } from './model-usage.ts';
import type { AttemptEnd } from './attempt-end.ts';

// Longest partial text of a failed attempt kept for the record, in characters.
const keptPartialChars = 32_000;

/** An attempt to record. */
export interface MadeAttempt {
  readonly model: AiSdkModel;
  readonly config: LlmConfig;
  /** Start on the wall clock, and as a monotonic instant. */
  readonly wallStart: number;
  readonly startedAt: number;
  /** Milliseconds the attempt was queued before it started; undefined when there was no queue. */
  readonly queuedMs: number | undefined;
}

/** End of an attempt to record. */
export interface AttemptResult {
  readonly end: AttemptEnd;
  readonly error: ErrorRecord | undefined;
  /** Milliseconds to wait before the next attempt; undefined without one. */
  readonly waitMs: number | undefined;
}

/**
 * Attempts of one model call, with their usage and cost.
 *
 * 1. An attempt without a reply that counts uses what its provider counted; what it did not count is estimated from the size of the request
 *    and of what arrived.
 * 2. A request that its provider rejected used nothing.
 */
export class AttemptLog {
  /** Longest prompt that a provider has counted in an attempt of this call, in tokens. */
  promptTokens = 0;
  /** Number of recorded attempts, including skipped configs. */
  count = 0;
  /** True when attempts used something since they were last taken. */
  hasUse = false;
  readonly #clock: Clock;
  readonly #promptTokens: () => number;
  /** Attempts in order, since they were last taken. */
  #attempts: ModelAttempt[] = [];
  #usage: Usage = nothing;
  /** Undefined once an attempt's cost is unknown. */
  #cost: number | undefined = 0;
  /** True once an attempt that failed used something. */
  #isCounted = false;

  constructor(clock: Clock, promptTokens: () => number) {
    this.#clock = clock;
    this.#promptTokens = promptTokens;
  }

  /** Hands over the attempts made so far: the outcome leaves them out. */
  take(): readonly ModelAttempt[] {
    const taken = this.#attempts;
    this.#attempts = [];
    this.#usage = nothing;
    this.hasUse = false;
    this.#cost = 0;
    return taken;
  }

  /** Records an attempt, and adds its usage and cost. */
  record({ model, config, wallStart, startedAt, queuedMs }: MadeAttempt, { end, error, waitMs }: AttemptResult): void {
    // An empty reply that is asked for again counts no more than a failure.
    const isAnswer = end.kind === 'reply' && (error === undefined || waitMs === undefined);
    this.promptTokens = Math.max(this.promptTokens, end.usage.inputTokens ?? 0);
    // What a reply used its provider counted; a count that is missing is estimated only where it would hide in those of other attempts.
    const used = isAnswer ? (this.#isCounted ? this.#estimated(end) : end.usage) : this.#usedInVain(end);
    const cost = used === undefined || config.price === undefined ? undefined : costOf(used, config.price);
    if (used !== undefined) {
      this.#usage = this.hasUse ? addUsage(this.#usage, used) : used;
      this.hasUse = true;
      if (this.#cost !== undefined) this.#cost = cost === undefined ? undefined : this.#cost + cost;
    }
    const partialText = end.kind === 'failure' ? capPartial(end.partialText) : '';
    const told = end.kind === 'reply' ? (end.reply.modelId ?? model.modelId) : model.modelId;
    const ms = Math.round(this.#clock.monotonic() - startedAt);
    const attempt: Writable<ModelAttempt> =
      end.firstTokenMs === undefined
        ? { config: config.name, model: told, startedAt: wallStart, ms }
        : { config: config.name, model: told, startedAt: wallStart, ms, firstTokenMs: Math.round(end.firstTokenMs) };
    if (error !== undefined) attempt.error = error;
    if (partialText !== '') attempt.partialText = partialText;
    if (waitMs !== undefined) attempt.waitMs = waitMs;
    if (queuedMs !== undefined) attempt.queuedMs = queuedMs;
    if (!isAnswer && used !== undefined) {
      attempt.usage = used;
      if (cost !== undefined) attempt.cost = cost;
    }
    this.#attempts.push(attempt);
    this.count += 1;
  }

  /** What an attempt without a reply that counts used; undefined when the provider did no work for it. */
  #usedInVain(end: AttemptEnd): Usage | undefined {
    const counted = (end.usage.inputTokens ?? 0) + (end.usage.outputTokens ?? 0) > 0;
    if (!counted && !end.wasTaken) return undefined;
    this.#isCounted = true;
    return this.#estimated(end);
  }

  #estimated({ usage, received }: AttemptEnd): Usage {
    if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return usage;
    return {
      ...usage,
      inputTokens: usage.inputTokens ?? this.#promptTokens(),
      outputTokens: usage.outputTokens ?? received.tokens,
    };
  }

  /** Records a config that was not called, so that nothing is skipped silently. */
  note(config: Pick<LlmConfig, 'name' | 'model'>, error: ErrorRecord, queuedMs?: number): void {
    const attempt: Writable<ModelAttempt> = {
      config: config.name,
      model: config.model,
      startedAt: this.#clock.now(),
      ms: 0,
      error,
    };
    if (queuedMs !== undefined) attempt.queuedMs = queuedMs;
    this.#attempts.push(attempt);
    this.count += 1;
  }

  /** Returns the outcome of a call that got a reply. */
  replied(reply: ModelReply, warnings: readonly string[]): ModelOutcome {
    const outcome: Writable<Extract<ModelOutcome, { kind: 'reply' }>> = {
      kind: 'reply',
      reply,
      usage: this.#usage,
      // An exact copy, since it is kept for the whole run and a grown array reserves room.
      attempts: this.#attempts.slice(),
    };
    if (this.#cost !== undefined) outcome.cost = this.#cost;
    if (warnings.length > 0) outcome.warnings = warnings;
    return outcome;
  }

  /** Returns the outcome of a call that failed. */
  failed(failure: ModelFailure): ModelOutcome {
    const attempts = this.#attempts;
    const tries = this.count > 1 ? ` (the last of ${this.count} attempts; all are in the turn record)` : '';
    return {
      kind: 'error',
      error: { code: failure.code, message: `${failure.message}${tries}` },
      usage: this.#usage,
      ...(this.#cost !== undefined && { cost: this.#cost }),
      attempts,
      ...(failure.details !== undefined && { details: failure.details }),
    };
  }
}

/** Converts a failure to its record. */
export function toRecord({ code, message }: ModelFailure): ErrorRecord {
  return { code, message };
}

function capPartial(text: string): string {
  return text.length <= keptPartialChars ? text : `${text.slice(0, keptPartialChars).toWellFormed()}… (${text.length} characters)`;
}
