import type { Context } from 'hono';
import { greeting, heartbeat } from './event-frames.ts';
import type { Waiting } from './waiting.ts';

/** The next messages of a stream, whole; `wait` when there are none yet; `end` when no more will come. */
export type NextFrames = { readonly text: string } | 'wait' | 'end';

/** Where the messages of a stream come from. It is asked when the reader has room for more, and not before. */
export interface FrameSource {
  next(): Promise<NextFrames>;
  /** Wakes whoever waits for more. */
  readonly waiting: Waiting;
  close(): void;
}

/** How often a stream without news says that it is still there, in milliseconds. */
const heartbeatMs = 15_000;

/**
 * Answers with a stream of server-sent events.
 *
 * 1. The source is asked only when the socket has taken what was there before: a slow reader holds up nobody, and what waits
 *    for it is what its source keeps.
 * 2. When the reader leaves, the source is closed.
 */
export async function answerEvents(context: Context, open: () => FrameSource | Promise<FrameSource>): Promise<Response> {
  context.header('Content-Type', 'text/event-stream; charset=utf-8');
  context.header('Cache-Control', 'no-store');
  // Proxies that collect answers would keep the stream from arriving.
  context.header('X-Accel-Buffering', 'no');
  // Nobody reads the body of an answer to HEAD, and nobody would close what is behind it.
  return context.req.method === 'HEAD' ? context.body(null) : context.body(streamOf(await open()));
}

function streamOf(source: FrameSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = { isOpen: true };
  const close = (): void => {
    reader.isOpen = false;
    source.close();
    source.waiting.wake();
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
        // What cannot be read any more (a closed engine, a broken disk) ends the stream; whoever reads it asks again and is told.
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
