import type { LanguageModelV4StreamPart, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { JsonValue } from '../../core/json.ts';
import type { Usage } from '../../core/model/model.ts';

/** Contents and timing of a scripted stream. */
export interface ScriptedStreamOptions {
  readonly parts: readonly LanguageModelV4StreamPart[];
  /** Action after the last part: the stream closes, breaks with `error`, or stays open in silence. */
  readonly ending: { readonly kind: 'close' } | { readonly kind: 'break'; readonly error: unknown } | { readonly kind: 'hang' };
  /** Milliseconds before each part. */
  readonly delayMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Creates a stream of the parts, one per read; an abort breaks it with the signal's reason. */
export function createScriptedStream(options: ScriptedStreamOptions): ReadableStream<LanguageModelV4StreamPart> {
  const { parts, ending, delayMs, signal } = options;
  let position = 0;
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        if (delayMs > 0) await pause(delayMs, signal);
        signal?.throwIfAborted();
        const part = parts[position];
        if (part !== undefined) {
          position += 1;
          controller.enqueue(part);
          return;
        }
        if (ending.kind === 'close') return controller.close();
        if (ending.kind === 'break') throw ending.error;
        await untilAborted(signal);
      },
    },
    // Produces parts only on demand: an unread reply costs nothing.
    { highWaterMark: 0 },
  );
}

/** Waits that long; rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits until the signal aborts, then rejects with its reason; without a signal, forever. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    else signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Content of a reply to stream. */
interface ReplyContent {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ({
    readonly name: string;
    readonly id?: string;
    /** Reason that the call is answered without running, in a repeated reply. */
    readonly problem?: string;
  } & ({ readonly args: JsonValue } | { readonly input: string }))[];
  readonly finishReason?: string;
  readonly usage?: Usage;
}

// Pieces of each text, so that subscribers to deltas see more than one.
const deltasPerText = 4;

const finishReasons: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
]);

/** Splits a reply into the parts of a stream: reasoning and text in a few deltas, each tool call complete, and a finish. */
export function toReplyParts(reply: ReplyContent): LanguageModelV4StreamPart[] {
  const { text = '', reasoning = '', toolCalls = [] } = reply;
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }];
  if (reasoning !== '') {
    parts.push({ type: 'reasoning-start', id: 'reasoning' });
    for (const delta of splitText(reasoning)) parts.push({ type: 'reasoning-delta', id: 'reasoning', delta });
    parts.push({ type: 'reasoning-end', id: 'reasoning' });
  }
  if (text !== '') {
    parts.push({ type: 'text-start', id: 'text' });
    for (const delta of splitText(text)) parts.push({ type: 'text-delta', id: 'text', delta });
    parts.push({ type: 'text-end', id: 'text' });
  }
  toolCalls.forEach((call, index) => {
    const input = 'input' in call ? call.input : JSON.stringify(call.args);
    const part = { type: 'tool-call' as const, toolCallId: call.id ?? `call_${index + 1}`, toolName: call.name, input };
    const ours = call.id === undefined ? { isIdOurs: true } : {};
    parts.push(Object.assign(part, ours, call.problem === undefined ? {} : { problem: call.problem }));
  });
  parts.push({
    type: 'finish',
    finishReason: toFinishReason(reply.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop')),
    usage: toUsage(reply.usage ?? {}),
  });
  return parts;
}

function splitText(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / deltasPerText));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += size) pieces.push(text.slice(start, start + size));
  return pieces;
}

function toFinishReason(reason: string): LanguageModelV4FinishReason {
  return { unified: isUnified(reason) ? reason : 'other', raw: reason };
}

function isUnified(reason: string): reason is LanguageModelV4FinishReason['unified'] {
  return finishReasons.has(reason);
}

function toUsage(usage: Usage): LanguageModelV4Usage {
  return {
    inputTokens: { total: usage.inputTokens, noCache: undefined, cacheRead: usage.cacheReadTokens, cacheWrite: undefined },
    outputTokens: { total: usage.outputTokens, text: undefined, reasoning: usage.reasoningTokens },
  };
}
