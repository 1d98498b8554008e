import type { Context } from 'hono';
import { greeting, heartbeat } from './event-frames.ts';
import type { ServerEnv } from './server-parts.ts';
import type { Waiting } from './waiting.ts';

/** Next messages of a stream; `wait` when there are none yet; `end` when there will be no more. */
export type NextFrames = { readonly text: string } | 'wait' | 'end';

/** Source of a stream's messages. It is asked only when the reader has room for more. */
export interface FrameSource {
  next(): Promise<NextFrames>;
  /** Signals that there is more to read. */
  readonly waiting: Waiting;
  close(): void;
}

/** Milliseconds without messages after which a stream sends a heartbeat. */
const heartbeatMs = 15_000;

/**
 * Answers with a stream of server-sent events.
 *
 * 1. The source is asked only when the socket has taken the previous messages: a slow reader delays no other reader, and only its
 *    source buffers for it.
 * 2. When the reader leaves, or there is no more to read, the source is closed and `leave` called.
 */
export async function answerEvents(
  context: Context<ServerEnv>,
  open: () => FrameSource | Promise<FrameSource>,
  leave: () => void,
): Promise<Response> {
  context.header('Content-Type', 'text/event-stream; charset=utf-8');
  context.header('Cache-Control', 'no-store');
  // Keeps proxies from buffering the stream.
  context.header('X-Accel-Buffering', 'no');
  // An answer to HEAD has no body, and nothing would close its source.
  if (context.req.method !== 'HEAD') return context.body(streamOf(await open(), leave));
  leave();
  return context.body(null);
}

function streamOf(source: FrameSource, leave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = { isOpen: true };
  const close = (): void => {
    reader.isOpen = false;
    source.close();
    source.waiting.wake();
    leave();
  };
  let sentAt = performance.now();
  const next = async (): Promise<string | undefined> => {
    while (reader.isOpen) {
      const frames = await source.next();
      if (frames === 'end') return undefined;
      if (frames !== 'wait') return frames.text;
      const quietMs = performance.now() - sentAt;
      if (quietMs >= heartbeatMs) return heartbeat;
      await source.waiting.until(heartbeatMs - quietMs);
    }
    return undefined;
  };
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        // A read error (a closed engine, a broken disk) ends the stream; the reader reconnects and gets the error as its answer.
        const frames = isFirst ? greeting : await next().catch(() => undefined);
        isFirst = false;
        sentAt = performance.now();
        if (frames !== undefined && reader.isOpen) return controller.enqueue(encoder.encode(frames));
        if (reader.isOpen) controller.close();
        close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
