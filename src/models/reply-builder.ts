import { describeThrown } from '../core/error.ts';
import type { Writable } from '../core/json.ts';
import type { FilePart } from '../core/message.ts';
import type { ModelDelta, ModelReply, RawToolCall, Usage } from '../core/model.ts';
import { classifyThrown } from './classify-thrown.ts';
import { parseFinishReason, type ProperEnd, type StreamFinish } from './finish-reason.ts';
import { asStreamCut, passingFailure, type ModelFailure } from './model-failure.ts';
import { parseUsage } from './model-usage.ts';
import { ReasoningBlocks } from './reasoning-blocks.ts';
import { MAX_FILE_CHARS, MAX_REPLY_CALLS, MAX_REPLY_CHARS, replyTooLarge, tooManyCalls } from './reply-limits.ts';
import { describeWarning, readFile, readProviderOptions, readText, type StreamPart } from './stream-part.ts';

/** What a stream came to: a reply, or why it is none. */
export type StreamResult =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'failure'; readonly failure: ModelFailure };

/** Puts one reply together from the parts of a stream, in one pass. Knows nothing of time or of how the parts arrive. */
export class ReplyBuilder {
  readonly #attempt: number;
  readonly #returned: 'signed' | 'all';
  #onDelta: ((delta: ModelDelta) => void) | undefined;
  #published = 0;
  #chars = 0;
  #inputChars = 0;
  #fileChars = 0;
  #text = '';
  #reasoning: ReasoningBlocks | undefined;
  /** Calls whose arguments have begun to stream: provider call id → wire name. */
  #announced: Map<string, string> | undefined;
  readonly #calls: RawToolCall[] = [];
  #files: FilePart[] | undefined;
  #warnings: Set<string> | undefined;
  #modelId: string | undefined;
  #finish: StreamFinish | undefined;
  #failure: ModelFailure | undefined;
  #usage: Usage = {};

  /** `returned`: which of its reasoning goes back to the model while it calls tools. */
  constructor(attempt: number, onDelta: ((delta: ModelDelta) => void) | undefined, returned: 'signed' | 'all' = 'signed') {
    this.#attempt = attempt;
    this.#returned = returned;
    this.#onDelta = onDelta;
  }

  /** Set once the stream is known to be no answer: nothing more needs to be read. */
  get failure(): ModelFailure | undefined {
    return this.#failure;
  }

  /** Whether the part that ends a reply has come. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** The text so far. */
  get text(): string {
    return this.#text.toWellFormed();
  }

  /** The tokens the provider reported. */
  get usage(): Usage {
    return this.#usage;
  }

  /** What is worth telling although the reply is good. */
  get warnings(): readonly string[] {
    return this.#warnings === undefined ? [] : [...this.#warnings];
  }

  /** Takes one part; tells whether it is content of the reply rather than a heartbeat or metadata. */
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

  /** Judges what has come once the stream is over. */
  build(): StreamResult {
    if (this.#failure !== undefined) return { kind: 'failure', failure: this.#failure };
    const finish = this.#finish;
    if (finish === undefined) return this.#broken('The stream ended before the reply did');
    if (finish.kind === 'broken') {
      const word = finish.raw === '' ? 'no reason' : `the reason "${finish.raw}"`;
      return this.#broken(`The model stopped with ${word}, which is not a proper end`);
    }
    const unfinished = this.#unfinishedCall();
    if (unfinished !== undefined) {
      if (finish.reason !== 'length') return this.#broken(`The arguments of the call to "${unfinished}" never ended`);
      this.#warn(`the reply hit its output limit inside the arguments of a call to "${unfinished}"; raise max_output_tokens`);
    }
    return { kind: 'reply', reply: this.#reply(finish.reason) };
  }

  #reply(reason: ProperEnd): ModelReply {
    const hasCalls = this.#calls.length > 0;
    // Providers need their signed reasoning back only while a tool loop goes on; sent along with a finished answer it
    // makes some of them refuse the next request.
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
    return reply;
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
    const failure = classifyThrown(error);
    return failure.code === 'MODEL_BAD_RESPONSE' && this.#hasContent() ? asStreamCut(failure) : failure;
  }

  #acceptText(part: StreamPart): boolean {
    const delta = this.#readDelta(part);
    if (delta === '') return false;
    this.#text += delta;
    this.#grow(delta.length);
    if (this.#onDelta !== undefined) this.#publish({ attempt: this.#attempt, n: this.#next(), kind: 'text', text: delta });
    return true;
  }

  #acceptReasoning(part: StreamPart): boolean {
    const delta = this.#readDelta(part);
    this.#reasoning ??= new ReasoningBlocks();
    this.#reasoning.add(readText(part.id), delta, part.providerMetadata);
    if (delta === '') return false;
    this.#grow(delta.length);
    if (this.#onDelta !== undefined) this.#publish({ attempt: this.#attempt, n: this.#next(), kind: 'reasoning', text: delta });
    return true;
  }

  #acceptInputStart(part: StreamPart): boolean {
    if (part.providerExecuted === true) return true;
    this.#announced ??= new Map();
    if (this.#announced.size >= MAX_REPLY_CALLS) return this.#tooManyCalls();
    const id = readText(part.id);
    const toolName = readText(part.toolName);
    this.#announced.set(id, toolName);
    this.#publishInput(id, toolName, '');
    return true;
  }

  #acceptInputDelta(part: StreamPart): boolean {
    const delta = this.#readDelta(part);
    if (delta === '') return false;
    this.#inputChars += delta.length;
    if (this.#inputChars > MAX_REPLY_CHARS) this.#tooLarge();
    const id = readText(part.id);
    if (this.#onDelta !== undefined) this.#publishInput(id, this.#announced?.get(id) ?? '', delta);
    return true;
  }

  #acceptCall(part: StreamPart): boolean {
    const providerCallId = readText(part.toolCallId);
    const toolName = readText(part.toolName);
    if (part.providerExecuted === true) {
      this.#warn(`the provider ran its own tool "${toolName}"; its result is not part of the reply`);
      return true;
    }
    if (this.#calls.length >= MAX_REPLY_CALLS) return this.#tooManyCalls();
    const input = typeof part.input === 'string' ? part.input : (JSON.stringify(part.input) ?? '');
    this.#grow(input.length);
    const providerOptions = readProviderOptions(part.providerMetadata);
    const call: Writable<RawToolCall> = { providerCallId, toolName, input: input.toWellFormed() };
    if (providerOptions !== undefined) call.providerOptions = providerOptions;
    if (part.isIdOurs === true) call.isIdOurs = true;
    this.#calls.push(call);
    if (this.#announced?.has(providerCallId) !== true) this.#publishInput(providerCallId, toolName, input);
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
        this.#finish = parseFinishReason(part.finishReason);
        return;
      case 'error':
        // What comes after a proper end cannot take it back.
        if (this.#finish === undefined) this.#failure ??= this.#classify(part.error);
        return;
      case 'stream-start':
        for (const warning of Array.isArray(part.warnings) ? part.warnings : []) this.#warn(describeWarning(warning));
        return;
      case 'response-metadata':
        if (typeof part.modelId === 'string') this.#modelId = part.modelId;
        return;
      case 'ping':
      case 'raw':
        return;
      default:
        this.#warn(`parts of type "${part.type}" are not used`);
    }
  }

  /** The name of a call whose arguments began and never came in whole; ids that differ by mistake are paired by count. */
  #unfinishedCall(): string | undefined {
    if (this.#announced === undefined) return undefined;
    const complete = new Set(this.#calls.map((call) => call.providerCallId));
    const open = [...this.#announced].filter(([id]) => !complete.has(id));
    const unannounced = this.#calls.filter((call) => this.#announced?.has(call.providerCallId) !== true);
    return open.length > unannounced.length ? open[0]?.[1] : undefined;
  }

  #readDelta(part: StreamPart): string {
    if (typeof part.delta === 'string') return part.delta;
    this.#failure ??= passingFailure('MODEL_BAD_RESPONSE', `The stream holds a ${part.type} part without text.`);
    return '';
  }

  #grow(chars: number): void {
    this.#chars += chars;
    if (this.#chars > MAX_REPLY_CHARS) this.#tooLarge();
  }

  #tooLarge(): void {
    this.#failure ??= replyTooLarge;
  }

  #tooManyCalls(): boolean {
    this.#failure ??= tooManyCalls;
    return true;
  }

  #warn(warning: string): void {
    (this.#warnings ??= new Set()).add(warning);
  }

  #next(): number {
    this.#published += 1;
    return this.#published;
  }

  #publishInput(callId: string, toolName: string, text: string): void {
    if (this.#onDelta === undefined) return;
    this.#publish({ attempt: this.#attempt, n: this.#next(), kind: 'tool-input', text, callId, toolName });
  }

  #publish(delta: ModelDelta): void {
    try {
      this.#onDelta?.(delta);
    } catch (thrown) {
      // A reader that fails costs itself the rest of the deltas, not the run its reply.
      this.#onDelta = undefined;
      this.#warn(`the reader of the deltas failed and got no more of them: ${describeThrown(thrown)}`);
    }
  }
}
