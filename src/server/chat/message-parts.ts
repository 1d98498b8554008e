import type { JsonObject } from '../../core/json.ts';
import type { UiChunk } from './ui-chunk.ts';

type Part = Record<string, JsonObject[string]>;

/** Puts the chunks of one message together as the client of the AI SDK does (`processUIMessageStream` of `ai` 7). */
export class MessageParts {
  readonly #parts: Part[] = [];
  /** The parts of the reply that are being written, by the id of their chunks. */
  readonly #open = new Map<string, Part & { text: string }>();

  /** The parts so far; each call of `take` may change them. */
  get parts(): readonly JsonObject[] {
    return this.#parts;
  }

  take(chunk: UiChunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#parts.push({ type: 'step-start' });
        break;
      case 'reset-step':
        this.#open.clear();
        this.#parts.splice(this.#stepBegin());
        break;
      case 'text-start':
      case 'reasoning-start':
        this.#begin(chunk.type === 'text-start' ? { type: 'text' } : { type: 'reasoning', id: chunk.id }, chunk.id);
        break;
      case 'text-delta':
      case 'reasoning-delta': {
        const part = this.#open.get(chunk.id);
        if (part !== undefined) part.text += chunk.delta;
        break;
      }
      case 'text-end':
      case 'reasoning-end':
        Object.assign(this.#open.get(chunk.id) ?? {}, { state: 'done' });
        this.#open.delete(chunk.id);
        break;
      case 'file':
        this.#parts.push({ type: 'file', mediaType: chunk.mediaType, url: chunk.url });
        break;
      default:
        if (isCallChunk(chunk)) this.#takeCall(chunk);
        else if (isData(chunk)) this.#takeData(chunk);
    }
  }

  /** Where the parts of the current step begin. */
  #stepBegin(): number {
    return this.#parts.findLastIndex(({ type }) => type === 'step-start') + 1;
  }

  #begin(fields: Part, id: string): void {
    const part = { ...fields, text: '', state: 'streaming' };
    this.#parts.push(part);
    this.#open.set(id, part);
  }

  #takeCall(chunk: CallChunk): void {
    if (chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error') {
      const { type, dynamic: _dynamic, ...fields } = chunk;
      const state = type === 'tool-input-available' ? 'input-available' : 'output-error';
      const known = this.#parts
        .slice(this.#stepBegin())
        .find((part) => part['type'] === 'dynamic-tool' && part['toolCallId'] === chunk.toolCallId);
      if (known === undefined) this.#parts.push({ type: 'dynamic-tool', ...fields, state });
      else Object.assign(known, fields, { state });
      return;
    }
    // The id of an approval is that of its call.
    const id = 'toolCallId' in chunk ? chunk.toolCallId : chunk.approvalId;
    const call = this.#parts.findLast(({ toolCallId }) => toolCallId === id);
    if (call !== undefined) Object.assign(call, changeOf(chunk, call));
  }

  #takeData({ type, id, data }: DataChunk): void {
    const known = id === undefined ? undefined : this.#parts.find((part) => part['type'] === type && part['id'] === id);
    if (known === undefined) this.#parts.push({ type, ...(id === undefined ? {} : { id }), data });
    else known['data'] = data;
  }
}

type CallChunk = Extract<UiChunk, { readonly type: `tool-${string}` }>;
type DataChunk = Extract<UiChunk, { readonly type: `data-${string}` }>;

function isCallChunk(chunk: UiChunk): chunk is CallChunk {
  return chunk.type.startsWith('tool-');
}

function isData(chunk: UiChunk): chunk is DataChunk {
  return chunk.type.startsWith('data-');
}

/** What a chunk about a call that is shown changes in its part. */
function changeOf(chunk: Exclude<CallChunk, { readonly type: `tool-input-${string}` }>, call: Part): Part {
  const approval = typeof call['approval'] === 'object' ? call['approval'] : {};
  switch (chunk.type) {
    case 'tool-approval-request':
      return {
        state: 'approval-requested',
        approval: { id: chunk.approvalId, ...(chunk.reason === undefined ? {} : { requestReason: chunk.reason }) },
      };
    case 'tool-approval-response': {
      const { approvalId: id, approved, reason } = chunk;
      return { state: 'approval-responded', approval: { ...approval, id, approved, ...(reason === undefined ? {} : { reason }) } };
    }
    case 'tool-output-available':
      return { state: 'output-available', output: chunk.output };
    case 'tool-output-error':
      return { state: 'output-error', errorText: chunk.errorText };
    case 'tool-output-denied':
      return { state: 'output-denied' };
  }
}
