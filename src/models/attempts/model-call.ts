import { describeThrown, type ErrorRecord } from '../../core/error.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelOutcome, ModelReply, ModelRequest } from '../../core/model/model.ts';
import type { AiSdkModel } from '../adapter/ai-sdk-model.ts';
import { AttemptLog, type MadeAttempt, toRecord } from './attempt-log.ts';
import { CallBudget, requestTokens } from './call-budget.ts';
import type { ModelCallTools } from './model-call-tools.ts';
import { CallSlot } from './call-slot.ts';
import { classifyThrown } from '../adapter/classify-thrown.ts';
import { isAboutFiles } from '../adapter/fit-files.ts';
import { brokenReply, canAnswerBrokenCall } from '../adapter/broken-call.ts';
import {
  lastingFailure,
  type ModelFailure,
  cooldownOf,
  emptyReply,
  isFinal,
  concernsConfig,
  inSeconds,
  redactFailure,
  tooLate,
  replyError,
  withKey,
} from './model-failure.ts';
import type { LaneRefusal } from './rate-lane.ts';
import { Outage } from './outage.ts';
import { chooseWait, retriesAfter, waitFor } from './retry-wait.ts';
import { runAttempt } from './run-attempt.ts';
import { type AttemptEnd } from './attempt-end.ts';

/** Result of one config: an outcome that ends the call, or a failure after which the next config is tried. */
type ConfigEnd =
  | { readonly kind: 'outcome'; readonly outcome: ModelOutcome }
  | { readonly kind: 'failure'; readonly failure: ModelFailure };

/** A failed attempt, and what decides whether another one follows. */
interface FailedAttempt {
  readonly made: MadeAttempt;
  readonly end: AttemptEnd;
  readonly retry: number;
  /** Monotonic instant at which the whole call must be over. */
  readonly totalDue: number;
  readonly slotOf: () => CallSlot;
}

/**
 * One model call: attempts on its config, then on its fallbacks in order.
 *
 * 1. Every attempt is on record, failed or not, and so is every fallback that could not be called.
 * 2. A reply always comes from one stream with a proper end, and never includes parts of a failed attempt.
 * 3. Only passing failures are retried, never an abort, a refusal or a rejected request.
 * 4. The total deadline covers all attempts and waits on one config.
 * 5. When every config is down, the call waits and retries, one attempt a round, for as long as `retry.outage` allows.
 * 6. A tool call that the provider rejected is answered to the model, in a reply that holds the call and its problem. This happens
 *    as many times in a row as a call is retried, at least once.
 * 7. An attempt that does not fit into what the budgets leave is not begun, and ends the call.
 * 8. No message contains a key or a header.
 */
export class ModelCall {
  readonly #asked: ModelRequest;
  readonly #tools: ModelCallTools;
  readonly #log: AttemptLog;
  readonly #budget: CallBudget;
  #outage: Outage | undefined;
  #ticket: number | undefined;

  constructor(request: ModelRequest, tools: ModelCallTools) {
    this.#asked = request;
    this.#tools = tools;
    this.#log = new AttemptLog(tools.clock, () => requestTokens(request));
    this.#budget = new CallBudget(request, this.#log);
  }

  /** Makes the call; never throws. */
  async run(): Promise<ModelOutcome> {
    const { config, signal } = this.#asked;
    try {
      for (;;) {
        const end = await (config.fallbacks.length === 0 ? this.#tryConfig(config) : this.#tryChain(config));
        const outage = this.#outage;
        if (end.kind === 'outcome') {
          outage?.end();
          return end.outcome;
        }
        const waited = outage !== undefined && !isFinal(end.failure) && (await outage.wait(end.failure));
        if (!waited) return this.#log.failed(outage?.describe(end.failure) ?? end.failure);
        if (signal.aborted) return this.#log.failed(abortedWhileWaiting);
      }
    } catch (thrown) {
      return this.#log.failed(lastingFailure('INTERNAL', `The model call broke: ${describeThrown(thrown)}`));
    }
  }

  /** Tries a config and its fallbacks in order; those cooling down come last. */
  async #tryChain(config: LlmConfig): Promise<ConfigEnd> {
    const later: LlmConfig[] = [];
    let end: ConfigEnd | undefined;
    for (const named of [config, ...config.fallbacks]) {
      const candidate = typeof named === 'string' ? this.#findFallback(named) : named;
      if (candidate === undefined) continue;
      if (this.#isCooling(candidate)) later.push(candidate);
      else end = await this.#tryConfig(candidate);
      if (end !== undefined && isOver(end)) return end;
    }
    for (const candidate of later) {
      end = await this.#tryConfig(candidate);
      if (isOver(end)) return end;
    }
    return end ?? { kind: 'failure', failure: lastingFailure('MODEL_UNKNOWN', 'There is no LLM config to call.') };
  }

  /** True when a config is cooling down; records that it was skipped. */
  #isCooling(asked: LlmConfig): boolean {
    const { resolver, clock, traffic } = this.#tools;
    if (!traffic.cooldowns.any) return false;
    const resolved = resolver.resolve(asked);
    const cooling = resolved.ok ? traffic.cooldowns.find(resolver.target(resolved.config).cooldown) : undefined;
    if (!resolved.ok || cooling === undefined) return false;
    const now = clock.monotonic();
    const message =
      `Skipped: it failed with ${cooling.code} ${inSeconds(now - cooling.since)} ago, and is tried last for another ` +
      `${inSeconds(cooling.until - now)}.`;
    this.#log.note(resolved.config, { code: 'MODEL_COOLING', message });
    return true;
  }

  /** Tries one config. Synchronous for a loaded model, since a promise would cost every call a tick. */
  #tryConfig(asked: LlmConfig): ConfigEnd | Promise<ConfigEnd> {
    try {
      const resolved = this.#tools.resolver.resolve(asked);
      if (!resolved.ok) return this.#notCallable(asked, resolved.error);
      const { model } = resolved;
      return typeof model === 'function'
        ? this.#tryLoading(model(), asked, resolved.config)
        : this.#tryModel(model, resolved.config);
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

  #findFallback(name: string): LlmConfig | undefined {
    const fallback = this.#tools.llmConfigs(name, this.#asked.config);
    if (fallback !== undefined) return fallback;
    const asked = this.#asked.config.name;
    const message = `There is no LLM config "${name}", which "${asked}" names as a fallback.`;
    this.#log.note({ name, model: '' }, { code: 'MODEL_UNKNOWN', message });
    return undefined;
  }

  async #tryModel(model: AiSdkModel, config: LlmConfig): Promise<ConfigEnd> {
    const { clock, traffic, resolver } = this.#tools;
    let startedAt = clock.monotonic();
    const totalDue = startedAt + config.deadlines.total;
    const ticket = (this.#ticket ??= traffic.nextTicket());
    let slot: CallSlot | undefined;
    const slotOf = (): CallSlot =>
      (slot ??= new CallSlot({
        traffic,
        clock,
        key: resolver.target(config).lane,
        config,
        request: this.#asked,
        totalDue,
        ticket,
      }));
    const onAnswer = (headers: Readonly<Record<string, string>> | undefined): void => {
      if (headers !== undefined || slot !== undefined) slotOf().answered(headers);
    };
    let wasEmpty = false;
    let withoutFiles = false;
    let waitMs = 0;
    for (let retry = 0; ; retry += 1) {
      const refusal = this.#budget.covers(config) ? undefined : await this.#budget.ask(config);
      if (refusal !== undefined) return { kind: 'outcome', outcome: this.#log.failed(refusal) };
      const { request } = this.#budget;
      if (retry > 0) {
        await waitFor(waitMs, clock, request.signal);
        if (request.signal.aborted) return { kind: 'failure', failure: abortedWhileWaiting };
        startedAt = clock.monotonic();
        waitMs = 0;
      }
      let queuedMs: number | undefined;
      if (config.rateLimit !== undefined || traffic.hasLanes) {
        const entered = slotOf().enter();
        const granted = entered instanceof Promise ? await entered : entered;
        if (entered instanceof Promise) {
          const queuedAt = startedAt;
          startedAt = clock.monotonic();
          queuedMs = Math.round(startedAt - queuedAt);
        }
        if (granted !== undefined && granted.kind !== 'pass') return this.#refused(config, granted, queuedMs);
      }
      const made = { model, config, wallStart: clock.now(), startedAt, queuedMs };
      const attempt = this.#log.count + 1;
      const input = { model, config, request, attempt, clock, startedAt, totalDue, withoutFiles, onAnswer };
      const end = await runAttempt(input);
      slot?.end(end.usage);
      if (end.kind === 'reply') {
        const error = replyError(end.reply);
        const again = error === emptyReply && !wasEmpty && !request.signal.aborted && retry < this.#retriesAfter(config, end);
        this.#log.record(made, { end, error, waitMs: again ? 0 : undefined });
        if (traffic.cooldowns.wereUsed) traffic.cooldowns.end(resolver.target(config).cooldown);
        if (!again) return { kind: 'outcome', outcome: this.#log.replied(end.reply, end.warnings) };
        wasEmpty = true;
        continue;
      }
      const failure = redactFailure(
        withKey(end.failure, () => resolver.describeKey(config)),
        resolver.secrets(config),
      );
      (this.#outage ??= new Outage(request, this.#tools)).note(failure, startedAt);
      // Without this retry, a file in the history that the provider cannot read would end the conversation.
      if (!withoutFiles && isAboutFiles(failure, request.messages)) {
        withoutFiles = true;
        this.#log.record(made, { end, error: toRecord(failure), waitMs: 0 });
        continue;
      }
      const answer = this.#answerBrokenCall(failure, config);
      if (answer !== undefined) {
        this.#log.record(made, { end, error: toRecord(failure), waitMs: undefined });
        return { kind: 'outcome', outcome: this.#log.replied(answer, []) };
      }
      const next = this.#waitAfter(failure, { made, end, retry, totalDue, slotOf });
      if (typeof next !== 'number') return next;
      waitMs = next;
    }
  }

  /** Records a failed attempt. Returns the milliseconds to wait before the next one, or the end of the config when there is none. */
  #waitAfter(failure: ModelFailure, { made, end, retry, totalDue, slotOf }: FailedAttempt): number | ConfigEnd {
    const { clock, traffic, resolver, random } = this.#tools;
    const { config } = made;
    const chosenMs = chooseWait(config.retry, { retry, retryAfterMs: failure.retryAfterMs, random });
    const mayPass = failure.retryable && (failure.brokenCall === undefined || !canAnswerBrokenCall(this.#asked));
    const waitMs = mayPass && retry < this.#retriesAfter(config, end) ? chosenMs : undefined;
    if (failure.code === 'MODEL_RATE_LIMITED') slotOf().pause(Math.min(failure.retryAfterMs ?? chosenMs, chosenMs));
    const inTime = waitMs !== undefined && clock.monotonic() + waitMs < totalDue;
    this.#log.record(made, { end, error: toRecord(failure), waitMs: inTime ? waitMs : undefined });
    if (inTime) return waitMs;
    const cooldownMs = concernsConfig(failure) ? cooldownOf(config, failure) : 0;
    if (cooldownMs > 0) traffic.cooldowns.start(resolver.target(config).cooldown, failure.code, cooldownMs);
    return { kind: 'failure', failure };
  }

  /**
   * Returns a reply that answers a rejected tool call to the model; undefined when that is impossible or was done as often in a row
   * as a call is retried.
   */
  #answerBrokenCall({ brokenCall, message }: ModelFailure, { retry }: LlmConfig): ModelReply | undefined {
    const request = this.#asked;
    if (brokenCall === undefined || !canAnswerBrokenCall(request)) return undefined;
    const most = Math.max(1, retry.maxCostlyRetries ?? retry.maxRetries);
    if ((request.brokenCalls ?? 0) >= most) return undefined;
    return brokenReply(brokenCall, request, message);
  }

  /** Returns the retries after an attempt; none during an outage, where each round makes one attempt. */
  #retriesAfter({ retry }: LlmConfig, end: AttemptEnd): number {
    return this.#outage?.isOn === true && end.kind === 'failure' && end.failure.isOutage === true ? 0 : retriesAfter(retry, end);
  }

  /** Records a rate-limit refusal as an attempt. */
  #refused(config: LlmConfig, refusal: LaneRefusal, queuedMs = 0): ConfigEnd {
    return this.#noted(config, refusal.kind === 'aborted' ? abortedWhileWaiting : tooLate(config, refusal.dueMs), queuedMs);
  }

  #noted(config: LlmConfig, failure: ModelFailure, queuedMs?: number): ConfigEnd {
    this.#log.note(config, toRecord(failure), queuedMs);
    return { kind: 'failure', failure };
  }

  /** Records a config that cannot be called, so that a skipped fallback is not hidden. */
  #notCallable(config: LlmConfig, error: ErrorRecord): ConfigEnd {
    return this.#noted(config, redactFailure(lastingFailure(error.code, error.message), this.#tools.resolver.secrets(config)));
  }
}

const abortedWhileWaiting = lastingFailure('MODEL_ABORTED', 'The model call was cancelled while it waited for its next attempt.');

function isOver(end: ConfigEnd): boolean {
  return end.kind === 'outcome' || isFinal(end.failure);
}
