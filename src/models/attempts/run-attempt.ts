import type { Clock } from '../../core/clock.ts';
import { describeThrown } from '../../core/error.ts';
import { defaultOutputTokens, type LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import type { AiSdkModel } from '../adapter/ai-sdk-model.ts';
import { toCallOptions } from '../adapter/call-options.ts';
import { classifyThrown } from '../adapter/classify-thrown.ts';
import type { ConnectionListener } from '../adapter/connection-watch.ts';
import { requestTokens } from './call-budget.ts';
import { DeadlineWatch, type DeadlinePhase } from './deadlines.ts';
import { asStreamCut, lastingFailure, passingFailure, type ModelFailure } from './model-failure.ts';
import { readTextReply } from '../protocol/read-text-reply.ts';
import { ReplyBuilder } from '../adapter/reply-builder.ts';
import type { StreamPart } from '../adapter/stream-part.ts';
import type { AttemptEnd } from './attempt-end.ts';

/** Inputs of one attempt at a model call. */
export interface AttemptInput {
  readonly model: AiSdkModel;
  readonly config: LlmConfig;
  readonly request: ModelRequest;
  /** Counts from 1 over the whole call. */
  readonly attempt: number;
  readonly clock: Clock;
  /** Monotonic instant at which the attempt starts. */
  readonly startedAt: number;
  /** Monotonic instant at which the call must be over. */
  readonly totalDue: number;
  /** Replaces all files by notes. */
  readonly withoutFiles?: boolean;
  /** Called once when the provider has answered and its stream is open. */
  readonly onAnswer?: (headers: Readonly<Record<string, string>> | undefined) => void;
}

/**
 * Calls a model once and reads its stream to the end. Never rejects, and ends at a deadline or an abort even when the model ignores
 * both.
 */
export function runAttempt(input: AttemptInput): Promise<AttemptEnd> {
  const { promise, resolve } = Promise.withResolvers<AttemptEnd>();
  void new Attempt(input, resolve).start();
  return promise;
}

/**
 * Listener of a request's signal, which forgets the attempt at its end. V8 may allocate the list of a signal's listeners among the old
 * objects, where it outlives the signal: everything that a listener refers to would be kept until the next full collection, and that
 * cost a third of a turn.
 */
class AbortListener {
  // Declared, not defined: one is made per attempt.
  declare attempt: Attempt | undefined;

  constructor(attempt: Attempt) {
    this.attempt = attempt;
  }

  /** Called by the signal. */
  handleEvent(): void {
    this.attempt?.cancelled();
  }
}

/** Lifetime of one attempt: its abort controller, deadlines and reader. The first end counts, later ones are ignored. */
class Attempt {
  readonly #input: AttemptInput;
  readonly #resolve: (end: AttemptEnd) => void;
  readonly #controller = new AbortController();
  readonly #listener = new AbortListener(this);
  readonly #builder: ReplyBuilder;
  readonly #watch: DeadlineWatch;
  #reader: ReadableStreamDefaultReader<StreamPart> | undefined;
  #firstTokenMs: number | undefined;
  #isSent = false;
  /** True once the provider has taken the request. */
  #wasTaken = false;
  /** Tokens of the prompt that the budgets have room for; undefined until they are asked for. */
  #promptTokens: number | undefined;
  /** Tokens of a reply that the budgets have room for, and whether that is all they have. */
  #reserved: number;
  #isBound: boolean;
  #over = false;
  #closed = false;

  constructor(input: AttemptInput, resolve: (end: AttemptEnd) => void) {
    const { clock, config, startedAt, totalDue, request } = input;
    const { mayTry, maxOutputTokens } = request;
    this.#isBound = maxOutputTokens !== undefined;
    this.#reserved =
      mayTry === undefined ? Number.POSITIVE_INFINITY : (maxOutputTokens ?? config.maxOutputTokens ?? defaultOutputTokens);
    const returnsReasoning = config.returnReasoning ?? needsReasoning.has(config.provider);
    this.#input = input;
    this.#resolve = resolve;
    this.#builder = new ReplyBuilder(input.attempt, input.request.onDelta, returnsReasoning ? 'all' : 'signed');
    const onExpire = (phase: DeadlinePhase): void => this.#expire(phase);
    this.#watch = new DeadlineWatch({ clock, deadlines: config.deadlines, startedAt, totalDue, onExpire });
  }

  /** Calls the model and reads its stream to the end of the attempt. */
  async start(): Promise<void> {
    const { model, config, request, clock, onAnswer, withoutFiles = false } = this.#input;
    const builder = this.#builder;
    const watch = this.#watch;
    if (request.signal.aborted) return this.cancelled();
    request.signal.addEventListener('abort', this.#listener);
    try {
      const options = toCallOptions({ model, config, request, withoutFiles, abortSignal: this.#controller.signal });
      this.#isSent = true;
      const call = model.doStream(model.tellsConnection === true ? { ...options, connection: this.#connection() } : options);
      const { stream, response } = await call;
      const reader = stream.getReader();
      this.#reader = reader;
      if (this.#over) return this.#discard();
      const headers = response?.headers;
      if (model.tellsConnection === true) watch.connected();
      onAnswer?.(headers);
      if (headers?.['content-type']?.startsWith('text/html') === true) return this.#fail(htmlAnswer);
      this.#wasTaken = true;
      for (;;) {
        const { done, value } = await reader.read();
        if (this.#over) return;
        if (done) {
          this.#closed = true;
          return this.#finish();
        }
        // A provider may send anything, null included.
        if (typeof (value as Partial<StreamPart> | null | undefined)?.type !== 'string') return this.#fail(strangePart);
        const isContent = builder.accept(value);
        // Raw chunks accompany the parts made of them.
        if (value.type !== 'raw') watch.lastChunkAt = clock.monotonic();
        if (isContent && this.#firstTokenMs === undefined) {
          this.#firstTokenMs = watch.lastChunkAt - this.#input.startedAt;
          watch.begin();
        }
        if (builder.failure !== undefined) return this.#fail(builder.failure);
        // Most chunks leave the reply so far from its bound that nothing is estimated.
        if (isContent && builder.mostTokens > this.#reserved - (builder.counts?.input ?? 0))
          if (builder.tokens > this.#replyRoom() && !(await this.#mayGoOn())) return this.#finishAtBound();
      }
    } catch (thrown) {
      // A connection that breaks after the reply is complete does no harm.
      if (builder.finished) return this.#finish();
      const failure = classifyThrown(thrown, clock.now());
      this.#fail(this.#firstTokenMs === undefined ? failure : asStreamCut(failure));
    }
  }

  /** Ends the attempt when its request is cancelled. */
  cancelled(): void {
    if (this.#builder.finished) return this.#finish();
    const reason: unknown = this.#input.request.signal.reason;
    const why = reason instanceof Error && reason.name === 'AbortError' ? '' : `: ${describeThrown(reason)}`;
    // The provider may have begun to work on the request.
    this.#wasTaken ||= this.#isSent;
    this.#fail(lastingFailure('MODEL_ABORTED', `The model call was cancelled${why}`));
  }

  /** Returns the tokens that a reply may have: fewer, as soon as its provider counts a longer prompt than was taken to be sent. */
  #replyRoom(): number {
    return this.#reserved - Math.max(0, (this.#builder.counts?.input ?? 0) - this.#reservedPrompt());
  }

  #reservedPrompt(): number {
    return (this.#promptTokens ??= requestTokens(this.#input.request));
  }

  /** Asks for room for a longer reply, whatever its provider was told; false when the budgets leave none. Nothing is read meanwhile. */
  async #mayGoOn(): Promise<boolean> {
    const { request, config } = this.#input;
    const { tokens, counts } = this.#builder;
    if (request.mayTry === undefined || this.#isBound) return false;
    const { name, price } = config;
    const longer = 2 * tokens;
    const verdict = await request.mayTry({
      made: [],
      received: tokens,
      promptTokens: (this.#promptTokens = Math.max(counts?.input ?? 0, this.#reservedPrompt())),
      config: { name, maxOutputTokens: longer, ...(price !== undefined && { price }) },
    });
    this.#watch.lastChunkAt = this.#input.clock.monotonic();
    if (verdict.kind === 'refused') return false;
    this.#reserved = verdict.maxOutputTokens ?? longer;
    this.#isBound = verdict.maxOutputTokens !== undefined;
    return tokens <= this.#reserved;
  }

  /** Ends a reply at the bound that its provider did not keep, as a provider would have. */
  #finishAtBound(): void {
    if (this.#over) return;
    const builder = this.#builder;
    const { inputTokens = requestTokens(this.#input.request), cacheReadTokens: cachedInputTokens } = builder.usageSoFar;
    const usage = { inputTokens, cachedInputTokens, outputTokens: builder.tokens };
    builder.accept({ type: 'finish', finishReason: 'length', usage });
    this.#finish();
  }

  #finish(): void {
    const result = this.#builder.build();
    if (result.kind === 'failure') return this.#fail(result.failure);
    const { request, config } = this.#input;
    const { warnings } = result;
    // Calls are extracted from the text where the request or config allows them.
    const accepts = config.acceptsTextCalls === true;
    const isNative = request.textProtocol === undefined && !accepts;
    const reply = isNative ? result.reply : readTextReply(result.reply, request, accepts);
    const builder = this.#builder;
    const { usage } = builder;
    this.#end({ kind: 'reply', reply, warnings, usage, firstTokenMs: this.#firstTokenMs, wasTaken: true, received: builder });
    // A finished stream that stays open holds its connection until it is cancelled.
    if (!this.#closed) this.#discard();
  }

  #fail(failure: ModelFailure): void {
    if (this.#over) return;
    const builder = this.#builder;
    const partialText = failure.brokenCall?.written ?? builder.text;
    const firstTokenMs = this.#firstTokenMs;
    const wasTaken = firstTokenMs !== undefined || partialText !== '' || (this.#wasTaken && failure.isOutage !== true);
    this.#end({ kind: 'failure', failure, partialText, usage: builder.usageSoFar, firstTokenMs, wasTaken, received: builder });
    this.#controller.abort(new DOMException(failure.message, 'AbortError'));
    this.#discard();
  }

  #end(end: AttemptEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch.stop();
    this.#input.request.signal.removeEventListener('abort', this.#listener);
    this.#listener.attempt = undefined;
    this.#resolve(end);
  }

  /** Cancels an unneeded stream, so that its connection is closed. */
  #discard(): void {
    // The attempt has ended; a dead stream that also fails to close changes nothing.
    this.#reader?.cancel().catch(() => undefined);
  }

  /** Listener for the connection, for models that report it. */
  #connection(): ConnectionListener {
    return {
      connecting: () => this.#watch.connecting(),
      connected: () => this.#watch.connected(),
      done: () => this.#builder.saidDone(),
    };
  }

  #expire(phase: DeadlinePhase): void {
    if (this.#builder.finished) return this.#finish();
    const limit = this.#input.config.deadlines[phase];
    const build = phase === 'total' ? lastingFailure : passingFailure;
    const message = `${describePhase(phase)} within ${limit} ms (timeouts.${snakeCase[phase]} of the LLM config).`;
    const failure = build('MODEL_TIMEOUT', message);
    // A provider that was reached works on the request, however long it is silent.
    if (phase !== 'connect') this.#wasTaken = true;
    this.#fail(phase === 'connect' ? { ...failure, isOutage: true } : failure);
  }
}

const snakeCase = { connect: 'connect', firstToken: 'first_token', betweenChunks: 'between_chunks', total: 'total' } as const;

const htmlAnswer = passingFailure(
  'MODEL_BAD_RESPONSE',
  'The provider answered with an HTML page. Check that the base URL is that of a model API (it often ends in /v1).',
);

const strangePart = passingFailure('MODEL_BAD_RESPONSE', 'The stream holds something that is not a stream part.');

function describePhase(phase: DeadlinePhase): string {
  switch (phase) {
    case 'connect':
      return 'No connection to the provider was made';
    case 'firstToken':
      return 'The model did not begin its reply';
    case 'betweenChunks':
      return 'The model fell silent in the middle of its reply: nothing came';
    case 'total':
      return 'The model did not end its reply';
  }
}

// Providers that refuse the next request of a tool loop without the last reply's reasoning, although they do not sign it.
const needsReasoning: ReadonlySet<string> = new Set(['deepseek']);
