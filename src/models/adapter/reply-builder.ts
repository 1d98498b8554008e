import type { Writable } from '../../core/json.ts';
import type { FilePart } from '../../core/prompt/message.ts';
import type { ModelDelta, ModelReply, RawToolCall, Usage } from '../../core/model/model.ts';
import { brokenCallFailure } from './broken-call.ts';
import { ChunkUsage } from './chunk-usage.ts';
import { classifyThrown } from './classify-thrown.ts';
import { DeltaOutlet } from './delta-outlet.ts';
import { isMissingReason, parseFinishReason, type ProperEnd, type StreamFinish } from './finish-reason.ts';
import type { StreamResult } from '../attempts/attempt-end.ts';
import { asStreamCut, passingFailure, type ModelFailure } from '../attempts/model-failure.ts';
import { parseUsage } from '../attempts/model-usage.ts';
import { RawChunks } from './raw-chunks.ts';
import { ReasoningBlocks } from './reasoning-blocks.ts';
import { hasUnreadableInput, readCall, unfinishedCall } from './reply-calls.ts';
import { MAX_FILE_CHARS, MAX_REPLY_CALLS, MAX_REPLY_CHARS, replyTokens, replyTooLarge, tooManyCalls } from './reply-limits.ts';
import { describeWarning, readFile, readText, type StreamPart } from './stream-part.ts';

/** Builds one reply from the parts of a stream, in one pass, and publishes its pieces. Independent of time and transport. */
export class ReplyBuilder {
  /** Set once the stream has failed: nothing more needs to be read. */
  failure: ModelFailure | undefined;
  /** Tokens that the provider reported. */
  usage: Usage = {};
  /** What its provider counts on the way; undefined until it does. */
  counts: ChunkUsage | undefined;
  /** No fewer than the tokens that have arrived, known without an estimate: their characters, or what is counted; infinite with a file. */
  mostTokens = 0;
  readonly #deltas: DeltaOutlet;
  readonly #returned: 'signed' | 'all';
  #chars = 0;
  #inputChars = 0;
  #fileChars = 0;
  #text = '';
  #reasoning: ReasoningBlocks | undefined;
  /** Calls that arrived complete. */
  readonly #calls: RawToolCall[] = [];
  /** Calls whose arguments have begun to stream: provider call id → wire name. */
  #announced: Map<string, string> | undefined;
  #chunks: RawChunks | undefined;
  #files: FilePart[] | undefined;
  #warnings: Set<string> | undefined;
  #modelId: string | undefined;
  #finish: StreamFinish | undefined;

  /** `returned`: the reasoning to send back to the model while it calls tools. */
  constructor(attempt: number, onDelta: ((delta: ModelDelta) => void) | undefined, returned: 'signed' | 'all' = 'signed') {
    this.#deltas = new DeltaOutlet(attempt, onDelta);
    this.#returned = returned;
  }

  /** True once the part that ends a reply has arrived. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** The text so far. */
  get text(): string {
    return this.#text.toWellFormed();
  }

  /** Tokens of what has arrived: as its provider counts on the way, the rest estimated. */
  get tokens(): number {
    const reasoning = this.#reasoning?.text ?? '';
    const size = { text: this.#text, reasoning, chars: this.#chars, inputChars: this.#inputChars, files: this.#files };
    const tokens = replyTokens(size);
    return this.counts?.withRest(tokens, this.#chars + this.#inputChars) ?? tokens;
  }

  /** What has been used so far. The package's own counts are those of a whole reply. */
  get usageSoFar(): Usage {
    if (this.#finish !== undefined && this.#finish.kind !== 'none') return this.usage;
    return { ...this.usage, ...this.counts?.usage, outputTokens: Math.max(this.usage.outputTokens ?? 0, this.tokens) };
  }

  /** Notes that the stream said `[DONE]`, which packages do not pass on. */
  saidDone(): void {
    (this.#chunks ??= new RawChunks()).saidDone();
  }

  /** Takes one part. Returns true for content of the reply, false for heartbeats and metadata. */
  accept(part: StreamPart): boolean {
    switch (part.type) {
      case 'text-delta': {
        const { delta } = part;
        if (typeof delta !== 'string') return this.#noText(part.type);
        if (delta === '') return false;
        this.#text += delta;
        this.#chars += delta.length;
        this.mostTokens += delta.length;
        if (this.#chars > MAX_REPLY_CHARS) this.failure ??= replyTooLarge;
        this.#deltas.publish('text', delta);
        return true;
      }
      case 'tool-input-delta': {
        const { delta } = part;
        if (typeof delta !== 'string') return this.#noText(part.type);
        if (delta === '') return false;
        this.#inputChars += delta.length;
        this.mostTokens += delta.length;
        if (this.#inputChars > MAX_REPLY_CHARS) this.failure ??= replyTooLarge;
        this.#deltas.publish('tool-input', delta, readText(part.id), this.#announced?.get(readText(part.id)));
        return true;
      }
      case 'tool-input-start':
        return this.#acceptInputStart(part);
      case 'tool-call':
        return this.#acceptCall(part);
      case 'text-start':
      case 'text-end':
      case 'tool-input-end':
        return true;
      case 'finish':
        this.usage = parseUsage(part.usage);
        this.#finish = parseFinishReason(part.finishReason, this.#chunks?.nativeReason);
        return false;
      case 'stream-start':
        if (Array.isArray(part.warnings)) for (const warning of part.warnings) this.#warn(describeWarning(warning));
        return false;
      case 'reasoning-delta':
        return this.#acceptReasoning(part);
      case 'reasoning-start':
      case 'reasoning-end':
        (this.#reasoning ??= new ReasoningBlocks()).add(readText(part.id), '', part.providerMetadata);
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
      case 'proper': {
        const { reason } = finish;
        const unfinished = this.#announced === undefined ? undefined : unfinishedCall(this.#announced, this.#calls);
        if (unfinished !== undefined) {
          if (reason !== 'length') return this.#broken(`The arguments of the call to "${unfinished}" never ended`);
          this.#warn(`the reply hit its output limit inside the arguments of a call to "${unfinished}"; raise max_output_tokens`);
        }
        return this.#reply(reason);
      }
      case 'broken':
        return this.#broken(`The model stopped with the reason "${finish.raw}", which is not a proper end`);
      case 'broken-call':
        return { kind: 'failure', failure: this.#brokenCall(finish.raw) };
      case 'none':
        return this.#isWholeWithoutReason(finish.isCut)
          ? this.#reply('stop')
          : this.#broken('The stream ended without a finish reason, and without another sign that the reply is complete');
    }
  }

  /** True when a reply without a finish reason is complete: another sign says so, and no call is cut. */
  #isWholeWithoutReason(isCut: boolean): boolean {
    const unfinished = this.#announced === undefined ? undefined : unfinishedCall(this.#announced, this.#calls);
    if (!this.#hasContent() || unfinished !== undefined || hasUnreadableInput(this.#calls)) return false;
    // Without raw chunks only the usage is left, which the package learns from the last chunk.
    const chunks = this.#chunks;
    return chunks?.isOver === true || (chunks?.isBlind !== false && !isCut && (this.usage.outputTokens ?? 0) > 0);
  }

  #brokenCall(reason: string): ModelFailure {
    const finishMessage = this.#chunks?.finishMessage ?? '';
    const why = finishMessage === '' ? reason : `${reason}: ${finishMessage}`;
    return brokenCallFailure({ why, written: this.#text.toWellFormed(), reply: this.#reply('tool-calls').reply });
  }

  #reply(reason: ProperEnd): Extract<StreamResult, { readonly kind: 'reply' }> {
    const hasCalls = this.#calls.length > 0;
    // Providers need their signed reasoning back only during a tool loop; some refuse the next request when it accompanies a
    // finished answer.
    const reasoningParts = hasCalls ? this.#reasoning?.returnedParts(this.#returned) : undefined;
    const reply: Writable<ModelReply> = {
      text: this.#text.toWellFormed(),
      reasoning: this.#reasoning?.text ?? '',
      toolCalls: this.#calls,
      finishReason: reason === 'stop' && hasCalls ? 'tool-calls' : reason,
    };
    if (reasoningParts !== undefined) reply.reasoningParts = reasoningParts;
    if (this.#files !== undefined) reply.files = this.#files;
    if (this.#modelId !== undefined) reply.modelId = this.#modelId;
    const warnings = [...(this.#warnings ?? [])];
    if (this.#deltas.warning !== undefined) warnings.push(this.#deltas.warning);
    return { kind: 'reply', reply, warnings };
  }

  #broken(what: string): StreamResult {
    const failure = this.#hasContent()
      ? passingFailure('MODEL_STREAM_CUT', `${what}. What had arrived is discarded, none of its tool calls runs.`)
      : passingFailure('MODEL_BAD_RESPONSE', `${what}, without any content. Is the base URL that of a model API?`);
    return { kind: 'failure', failure };
  }

  #hasContent(): boolean {
    return this.#chars > 0 || this.#inputChars > 0 || this.#calls.length > 0 || this.#files !== undefined;
  }

  #classify(error: unknown): ModelFailure {
    const failure = classifyThrown(error, 0, this.#chunks?.failedGeneration);
    return failure.code === 'MODEL_BAD_RESPONSE' && this.#hasContent() ? asStreamCut(failure) : failure;
  }

  #acceptReasoning(part: StreamPart): boolean {
    const { delta } = part;
    if (typeof delta !== 'string') return this.#noText(part.type);
    (this.#reasoning ??= new ReasoningBlocks()).add(readText(part.id), delta, part.providerMetadata);
    if (delta === '') return false;
    this.#chars += delta.length;
    this.mostTokens += delta.length;
    if (this.#chars > MAX_REPLY_CHARS) this.failure ??= replyTooLarge;
    this.#deltas.publish('reasoning', delta);
    return true;
  }

  #acceptInputStart(part: StreamPart): boolean {
    if (part.providerExecuted === true) return true;
    const [callId, name] = [readText(part.id), readText(part.toolName)];
    const announced = (this.#announced ??= new Map());
    if (announced.size >= MAX_REPLY_CALLS) {
      this.failure ??= tooManyCalls;
      return true;
    }
    announced.set(callId, name);
    this.#deltas.publish('tool-input', '', callId, name);
    return true;
  }

  #acceptCall(part: StreamPart): boolean {
    if (part.providerExecuted === true) {
      this.#warn(`the provider ran its own tool "${readText(part.toolName)}"; its result is not part of the reply`);
      return true;
    }
    if (this.#calls.length >= MAX_REPLY_CALLS) {
      this.failure ??= tooManyCalls;
      return true;
    }
    const call = readCall(part);
    this.#calls.push(call);
    this.#chars += call.input.length;
    this.mostTokens += call.input.length;
    if (this.#chars > MAX_REPLY_CHARS) this.failure ??= replyTooLarge;
    if (this.#announced?.has(call.providerCallId) !== true)
      this.#deltas.publish('tool-input', call.input, call.providerCallId, call.toolName);
    return true;
  }

  #acceptFile(part: StreamPart): boolean {
    const file = readFile(part);
    if (file === undefined) {
      this.#warn('a file without readable data was dropped');
      return true;
    }
    this.#fileChars += file.data.type === 'data' ? file.data.data.length : 0;
    if (this.#fileChars > MAX_FILE_CHARS) this.failure ??= replyTooLarge;
    else (this.#files ??= []).push(file);
    this.mostTokens = Number.POSITIVE_INFINITY;
    return true;
  }

  #acceptOther(part: StreamPart): void {
    switch (part.type) {
      case 'error':
        // An error after a proper end does not invalidate the reply.
        if (this.#finish === undefined && !isMissingReason(part.error)) this.failure ??= this.#classify(part.error);
        return;
      case 'response-metadata':
        if (typeof part.modelId === 'string') this.#modelId = part.modelId;
        return;
      case 'raw':
        (this.#chunks ??= new RawChunks()).accept(part.rawValue);
        if (this.#finish === undefined) this.#count(part.rawValue);
        return;
      case 'ping':
        return;
      default:
        this.#warn(`parts of type "${part.type}" are not used`);
    }
  }

  #count(chunk: unknown): void {
    const counts = (this.counts ??= new ChunkUsage());
    counts.accept(chunk, this.#chars + this.#inputChars);
    this.mostTokens = Math.max(this.mostTokens, counts.output);
  }

  #noText(type: string): false {
    this.failure ??= passingFailure('MODEL_BAD_RESPONSE', `The stream holds a ${type} part without text.`);
    return false;
  }

  #warn(warning: string): void {
    (this.#warnings ??= new Set()).add(warning);
  }
}
