import type { Writable } from '../../core/json.ts';
import type { FilePart } from '../../core/prompt/message.ts';
import type { ModelDelta, ModelReply, Usage } from '../../core/model/model.ts';
import { brokenCallFailure } from './broken-call.ts';
import { classifyThrown } from './classify-thrown.ts';
import { DeltaPublisher } from '../attempts/delta-publisher.ts';
import { isMissingReason, parseFinishReason, type ProperEnd, type StreamFinish } from './finish-reason.ts';
import { asStreamCut, passingFailure, type ModelFailure } from '../attempts/model-failure.ts';
import { parseUsage } from '../attempts/model-usage.ts';
import { RawChunks } from './raw-chunks.ts';
import { ReasoningBlocks } from './reasoning-blocks.ts';
import { ReplyCalls } from './reply-calls.ts';
import { MAX_FILE_CHARS, MAX_REPLY_CHARS, replyTooLarge, tooManyCalls } from './reply-limits.ts';
import { describeWarning, readFile, readText, type StreamPart } from './stream-part.ts';

/** Result of a stream: a reply, or the reason there is none. */
export type StreamResult =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'failure'; readonly failure: ModelFailure };

/** Builds one reply from the parts of a stream, in one pass. Independent of time and transport. */
export class ReplyBuilder {
  /** Set once the stream has failed: nothing more needs to be read. */
  failure: ModelFailure | undefined;
  readonly #returned: 'signed' | 'all';
  readonly #deltas: DeltaPublisher;
  #chars = 0;
  #inputChars = 0;
  #fileChars = 0;
  #text = '';
  #reasoning: ReasoningBlocks | undefined;
  readonly #calls = new ReplyCalls();
  readonly #chunks = new RawChunks();
  #files: FilePart[] | undefined;
  #warnings: Set<string> | undefined;
  #modelId: string | undefined;
  #finish: StreamFinish | undefined;
  #usage: Usage = {};

  /** `returned`: the reasoning to send back to the model while it calls tools. */
  constructor(attempt: number, onDelta: ((delta: ModelDelta) => void) | undefined, returned: 'signed' | 'all' = 'signed') {
    this.#returned = returned;
    this.#deltas = new DeltaPublisher(attempt, onDelta);
  }

  /** True once the part that ends a reply has arrived. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** The text so far. */
  get text(): string {
    return this.#text.toWellFormed();
  }

  /** Tokens that the provider reported. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Warnings about a reply that is otherwise good. */
  get warnings(): readonly string[] {
    const { failure } = this.#deltas;
    const own = this.#warnings === undefined ? [] : [...this.#warnings];
    return failure === undefined ? own : [...own, failure];
  }

  /** Notes that the stream said `[DONE]`, which packages do not pass on. */
  saidDone(): void {
    this.#chunks.saidDone();
  }

  /** Takes one part. Returns true for content of the reply, false for heartbeats and metadata. */
  accept(part: StreamPart): boolean {
    switch (part.type) {
      case 'text-delta':
        return this.#acceptText(part);
      case 'reasoning-delta':
        return this.#acceptReasoning(part);
      case 'tool-input-delta':
        return this.#acceptInputDelta(part);
      case 'tool-input-start':
        return this.#acceptInputStart(part);
      case 'tool-call':
        return this.#acceptCall(part);
      case 'reasoning-start':
      case 'reasoning-end':
        this.#reasoning ??= new ReasoningBlocks();
        this.#reasoning.add(readText(part.id), '', part.providerMetadata);
        return true;
      case 'text-start':
      case 'text-end':
      case 'tool-input-end':
        return true;
      case 'file':
        return this.#acceptFile(part);
      default:
        this.#acceptOther(part);
        return false;
    }
  }

  /** Builds the result once the stream is over. */
  build(): StreamResult {
    if (this.failure !== undefined) return { kind: 'failure', failure: this.failure };
    const finish = this.#finish;
    if (finish === undefined) return this.#broken('The stream ended before the reply did');
    switch (finish.kind) {
      case 'broken':
        return this.#broken(`The model stopped with the reason "${finish.raw}", which is not a proper end`);
      case 'broken-call':
        return { kind: 'failure', failure: this.#brokenCall(finish.raw) };
      case 'none':
        return this.#isWholeWithoutReason(finish.isCut)
          ? { kind: 'reply', reply: this.#reply('stop') }
          : this.#broken('The stream ended without a finish reason, and without another sign that the reply is complete');
      case 'proper':
        return this.#properEnd(finish.reason);
    }
  }

  #properEnd(reason: ProperEnd): StreamResult {
    const { unfinished } = this.#calls;
    if (unfinished !== undefined) {
      if (reason !== 'length') return this.#broken(`The arguments of the call to "${unfinished}" never ended`);
      this.#warn(`the reply hit its output limit inside the arguments of a call to "${unfinished}"; raise max_output_tokens`);
    }
    return { kind: 'reply', reply: this.#reply(reason) };
  }

  /** True when a reply without a finish reason is complete: another sign says so, and no call is cut. */
  #isWholeWithoutReason(isCut: boolean): boolean {
    const { unfinished, unreadable } = this.#calls;
    if (!this.#hasContent() || unfinished !== undefined || unreadable !== undefined) return false;
    // Without raw chunks only the usage is left, which the package learns from the last chunk.
    return this.#chunks.isOver || (this.#chunks.isBlind && !isCut && (this.#usage.outputTokens ?? 0) > 0);
  }

  #brokenCall(reason: string): ModelFailure {
    const { finishMessage } = this.#chunks;
    const why = finishMessage === '' ? reason : `${reason}: ${finishMessage}`;
    return brokenCallFailure({ why, written: this.#text.toWellFormed(), reply: this.#reply('tool-calls') });
  }

  #reply(reason: ProperEnd): ModelReply {
    const hasCalls = this.#calls.whole.length > 0;
    // Providers need their signed reasoning back only during a tool loop; some refuse the next request when it accompanies a
    // finished answer.
    const reasoningParts = hasCalls ? this.#reasoning?.returnedParts(this.#returned) : undefined;
    const reply: Writable<ModelReply> = {
      text: this.#text.toWellFormed(),
      reasoning: this.#reasoning?.text ?? '',
      toolCalls: this.#calls.whole,
      finishReason: reason === 'stop' && hasCalls ? 'tool-calls' : reason,
    };
    if (reasoningParts !== undefined) reply.reasoningParts = reasoningParts;
    if (this.#files !== undefined) reply.files = this.#files;
    if (this.#modelId !== undefined) reply.modelId = this.#modelId;
    return reply;
  }

  #broken(what: string): StreamResult {
    const failure = this.#hasContent()
      ? passingFailure('MODEL_STREAM_CUT', `${what}. What had arrived is discarded, none of its tool calls runs.`)
      : passingFailure('MODEL_BAD_RESPONSE', `${what}, without any content. Is the base URL that of a model API?`);
    return { kind: 'failure', failure };
  }

  #hasContent(): boolean {
    return this.#chars > 0 || this.#inputChars > 0 || this.#calls.whole.length > 0 || this.#files !== undefined;
  }

  #classify(error: unknown): ModelFailure {
    const failure = classifyThrown(error, 0, this.#chunks.failedGeneration);
    return failure.code === 'MODEL_BAD_RESPONSE' && this.#hasContent() ? asStreamCut(failure) : failure;
  }

  #acceptText(part: StreamPart): boolean {
    const delta = this.#readDelta(part);
    if (delta === '') return false;
    this.#text += delta;
    this.#grow(delta.length);
    this.#deltas.words('text', delta);
    return true;
  }

  #acceptReasoning(part: StreamPart): boolean {
    const delta = this.#readDelta(part);
    this.#reasoning ??= new ReasoningBlocks();
    this.#reasoning.add(readText(part.id), delta, part.providerMetadata);
    if (delta === '') return false;
    this.#grow(delta.length);
    this.#deltas.words('reasoning', delta);
    return true;
  }

  #acceptInputStart(part: StreamPart): boolean {
    if (part.providerExecuted === true) return true;
    const id = readText(part.id);
    const toolName = readText(part.toolName);
    if (!this.#calls.announce(id, toolName)) return this.#tooManyCalls();
    this.#deltas.input(id, toolName, '');
    return true;
  }

  #acceptInputDelta(part: StreamPart): boolean {
    const delta = this.#readDelta(part);
    if (delta === '') return false;
    this.#inputChars += delta.length;
    if (this.#inputChars > MAX_REPLY_CHARS) this.#tooLarge();
    const id = readText(part.id);
    this.#deltas.input(id, this.#calls.announced(id) ?? '', delta);
    return true;
  }

  #acceptCall(part: StreamPart): boolean {
    if (part.providerExecuted === true) {
      this.#warn(`the provider ran its own tool "${readText(part.toolName)}"; its result is not part of the reply`);
      return true;
    }
    const call = this.#calls.add(part);
    if (call === undefined) return this.#tooManyCalls();
    const { providerCallId, toolName, input } = call;
    this.#grow(input.length);
    if (this.#calls.announced(providerCallId) === undefined) this.#deltas.input(providerCallId, toolName, input);
    return true;
  }

  #acceptFile(part: StreamPart): boolean {
    const file = readFile(part);
    if (file === undefined) {
      this.#warn('a file without readable data was dropped');
      return true;
    }
    this.#fileChars += file.data.type === 'data' ? file.data.data.length : 0;
    if (this.#fileChars > MAX_FILE_CHARS) this.#tooLarge();
    else (this.#files ??= []).push(file);
    return true;
  }

  #acceptOther(part: StreamPart): void {
    switch (part.type) {
      case 'finish':
        this.#usage = parseUsage(part.usage);
        this.#finish = parseFinishReason(part.finishReason, this.#chunks.nativeReason);
        return;
      case 'error':
        // An error after a proper end does not invalidate the reply.
        if (this.#finish === undefined && !isMissingReason(part.error)) this.failure ??= this.#classify(part.error);
        return;
      case 'stream-start':
        for (const warning of Array.isArray(part.warnings) ? part.warnings : []) this.#warn(describeWarning(warning));
        return;
      case 'response-metadata':
        if (typeof part.modelId === 'string') this.#modelId = part.modelId;
        return;
      case 'raw':
        this.#chunks.accept(part.rawValue);
        return;
      case 'ping':
        return;
      default:
        this.#warn(`parts of type "${part.type}" are not used`);
    }
  }

  #readDelta(part: StreamPart): string {
    if (typeof part.delta === 'string') return part.delta;
    this.failure ??= passingFailure('MODEL_BAD_RESPONSE', `The stream holds a ${part.type} part without text.`);
    return '';
  }

  #grow(chars: number): void {
    this.#chars += chars;
    if (this.#chars > MAX_REPLY_CHARS) this.#tooLarge();
  }

  #tooLarge(): void {
    this.failure ??= replyTooLarge;
  }

  #tooManyCalls(): boolean {
    this.failure ??= tooManyCalls;
    return true;
  }

  #warn(warning: string): void {
    (this.#warnings ??= new Set()).add(warning);
  }
}
