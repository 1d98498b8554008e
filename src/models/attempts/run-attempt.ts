import type { Clock } from '../../core/clock.ts';
import { describeThrown } from '../../core/error.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelReply, ModelRequest, Usage } from '../../core/model/model.ts';
import type { AiSdkModel, ModelCallOptions } from '../adapter/ai-sdk-model.ts';
import { toCallOptions } from '../adapter/call-options.ts';
import { classifyThrown } from '../adapter/classify-thrown.ts';
import type { ConnectionListener } from '../adapter/connection-watch.ts';
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
  return new Promise((resolve) => new Attempt(input, resolve).start());
}

/** Lifetime of one attempt: its abort controller, deadlines and reader. The first end counts, later ones are ignored. */
class Attempt {
  readonly #input: AttemptInput;
  readonly #resolve: (end: AttemptEnd) => void;
  readonly #controller = new AbortController();
  readonly #builder: ReplyBuilder;
  readonly #watch: DeadlineWatch;
  #reader: ReadableStreamDefaultReader<StreamPart> | undefined;
  #firstTokenMs: number | undefined;
  #over = false;
  #closed = false;

  constructor(input: AttemptInput, resolve: (end: AttemptEnd) => void) {
    const { clock, config, totalDue } = input;
    this.#input = input;
    this.#resolve = resolve;
    this.#builder = new ReplyBuilder(input.attempt, input.request.onDelta, returnsReasoning(config) ? 'all' : 'signed');
    this.#watch = new DeadlineWatch({ clock, deadlines: config.deadlines, totalDue, onExpire: this.#onExpire });
  }

  start(): void {
    const { signal } = this.#input.request;
    if (signal.aborted) return this.#onAbort();
    signal.addEventListener('abort', this.#onAbort);
    void this.#stream();
  }

  async #stream(): Promise<void> {
    const { model, clock } = this.#input;
    try {
      const { stream, response } = await model.doStream(this.#options());
      this.#reader = stream.getReader();
      if (this.#over) return this.#discard();
      this.#watch.connected();
      this.#input.onAnswer?.(response?.headers);
      const contentType = response?.headers?.['content-type'];
      if (contentType?.startsWith('text/html') === true) return this.#fail(htmlAnswer);
      await this.#read(this.#reader);
    } catch (thrown) {
      // A connection that breaks after the reply is complete does no harm.
      if (this.#builder.finished) return this.#finish();
      const failure = classifyThrown(thrown, clock.now());
      this.#fail(this.#firstTokenMs === undefined ? failure : asStreamCut(failure));
    }
  }

  #options(): ModelCallOptions {
    const { model, config, request, withoutFiles = false } = this.#input;
    const options = toCallOptions({ model, config, request, withoutFiles, abortSignal: this.#controller.signal });
    return model.tellsConnection === true ? { ...options, connection: this.#connection } : options;
  }

  async #read(reader: ReadableStreamDefaultReader<StreamPart>): Promise<void> {
    const builder = this.#builder;
    const watch = this.#watch;
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
      if (value.type !== 'raw') watch.chunk(isContent);
      if (isContent && this.#firstTokenMs === undefined) this.#firstTokenMs = watch.elapsedAtLastChunk;
      if (builder.failure !== undefined) return this.#fail(builder.failure);
    }
  }

  #finish(): void {
    const result = this.#builder.build();
    if (result.kind === 'failure') return this.#fail(result.failure);
    this.#end({ kind: 'reply', reply: this.#withTextCalls(result.reply), warnings: this.#builder.warnings, ...this.#common() });
    // A finished stream that stays open holds its connection until it is cancelled.
    if (!this.#closed) this.#discard();
  }

  /** Extracts calls from the text where the request or config allows them. */
  #withTextCalls(reply: ModelReply): ModelReply {
    const { request, config } = this.#input;
    const accepts = config.acceptsTextCalls === true;
    return request.textProtocol === undefined && !accepts ? reply : readTextReply(reply, request, accepts);
  }

  #fail(failure: ModelFailure): void {
    if (this.#over) return;
    this.#end({ kind: 'failure', failure, partialText: failure.brokenCall?.written ?? this.#builder.text, ...this.#common() });
    this.#controller.abort(new DOMException(failure.message, 'AbortError'));
    this.#discard();
  }

  #end(end: AttemptEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch.stop();
    this.#input.request.signal.removeEventListener('abort', this.#onAbort);
    this.#resolve(end);
  }

  #common(): { readonly usage: Usage; readonly firstTokenMs?: number } {
    const firstTokenMs = this.#firstTokenMs;
    return firstTokenMs === undefined ? { usage: this.#builder.usage } : { usage: this.#builder.usage, firstTokenMs };
  }

  /** Cancels an unneeded stream, so that its connection is closed. */
  #discard(): void {
    // The attempt has ended; a dead stream that also fails to close changes nothing.
    this.#reader?.cancel().catch(() => undefined);
  }

  readonly #connection: ConnectionListener = {
    connecting: () => this.#watch.connecting(),
    connected: () => this.#watch.connected(),
    done: () => this.#builder.saidDone(),
  };

  readonly #onAbort = (): void => {
    if (this.#builder.finished) return this.#finish();
    const reason: unknown = this.#input.request.signal.reason;
    const why = reason instanceof Error && reason.name === 'AbortError' ? '' : `: ${describeThrown(reason)}`;
    this.#fail(lastingFailure('MODEL_ABORTED', `The model call was cancelled${why}`));
  };

  readonly #onExpire = (phase: DeadlinePhase): void => {
    if (this.#builder.finished) return this.#finish();
    const limit = this.#input.config.deadlines[phase];
    const build = phase === 'total' ? lastingFailure : passingFailure;
    const message = `${describePhase(phase)} within ${limit} ms (timeouts.${snakeCase[phase]} of the LLM config).`;
    const failure = build('MODEL_TIMEOUT', message);
    this.#fail(phase === 'connect' ? { ...failure, isOutage: true } : failure);
  };
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

function returnsReasoning({ returnReasoning, provider }: LlmConfig): boolean {
  return returnReasoning ?? needsReasoning.has(provider);
}
