import type { Clock } from '../../core/clock.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelAttempt, ModelOutcome, ModelReply, Usage } from '../../core/model/model.ts';
import type { AiSdkModel } from '../adapter/ai-sdk-model.ts';
import type { ModelFailure } from './model-failure.ts';
import { addUsage, costOf, nothing } from './model-usage.ts';
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

/** Attempts of one model call, with their usage and cost. */
export class AttemptLog {
  /** Recorded attempts in order, including skipped configs. */
  readonly attempts: ModelAttempt[] = [];
  readonly #clock: Clock;
  #usage: Usage = nothing;
  /** Undefined once an attempt's cost is unknown. */
  #cost: number | undefined = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records an attempt, and adds its usage and cost. */
  record({ model, config, wallStart, startedAt, queuedMs }: MadeAttempt, { end, error, waitMs }: AttemptResult): void {
    this.#usage = this.#usage === nothing ? end.usage : addUsage(this.#usage, end.usage);
    // A request rejected before its first token is not billed; the cost of a cut stream is unknown.
    const isFree = end.kind === 'failure' && end.firstTokenMs === undefined;
    if (!isFree && this.#cost !== undefined) {
      const cost = config.price === undefined ? undefined : costOf(end.usage, config.price);
      this.#cost = cost === undefined ? undefined : this.#cost + cost;
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
    this.attempts.push(attempt);
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
    this.attempts.push(attempt);
  }

  /** Returns the outcome of a call that got a reply. */
  replied(reply: ModelReply, warnings: readonly string[]): ModelOutcome {
    const outcome: Writable<Extract<ModelOutcome, { kind: 'reply' }>> = {
      kind: 'reply',
      reply,
      usage: this.#usage,
      // An exact copy, since it is kept for the whole run and a grown array reserves room.
      attempts: this.attempts.slice(),
    };
    if (this.#cost !== undefined) outcome.cost = this.#cost;
    if (warnings.length > 0) outcome.warnings = warnings;
    return outcome;
  }

  /** Returns the outcome of a call that failed. */
  failed(failure: ModelFailure): ModelOutcome {
    const attempts = this.attempts;
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
}

/** Converts a failure to its record. */
export function toRecord({ code, message }: ModelFailure): ErrorRecord {
  return { code, message };
}

function capPartial(text: string): string {
  return text.length <= keptPartialChars ? text : `${text.slice(0, keptPartialChars).toWellFormed()}… (${text.length} characters)`;
}
