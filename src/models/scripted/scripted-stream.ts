import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

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
