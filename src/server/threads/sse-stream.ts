import type { Context } from 'hono';
import type { Listening } from './threads.ts';

/** Milliseconds of silence after which a stream sends a comment, since proxies close idle connections. */
export const heartbeatMs = 15_000;

/**
 * Returns the body of a stream of server-sent events, one for each text. The reader sets the pace; when it leaves, the source is
 * ended. `leave` is called in both cases.
 */
function sseStream(source: AsyncIterator<string>, leave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let coming: Promise<IteratorResult<string>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        coming ??= source.next();
        const { promise: silence, resolve } = Promise.withResolvers<'silence'>();
        const timer = setTimeout(() => resolve('silence'), heartbeatMs);
        try {
          const next = await Promise.race([coming, silence]);
          if (next === 'silence') {
            controller.enqueue(encoder.encode(': alive\n\n'));
            return;
          }
          coming = undefined;
          if (next.done === true) {
            leave();
            controller.close();
          } else controller.enqueue(encoder.encode(`data: ${next.value}\n\n`));
        } finally {
          clearTimeout(timer);
        }
      },
      async cancel() {
        leave();
        await source.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}

/** Answers a request with a stream about a run, until the run has settled or the client leaves; then stops listening. */
export function sseAnswer(
  context: Context,
  listening: Listening,
  generate: (signal: AbortSignal) => AsyncGenerator<string>,
): Response {
  const left = new AbortController();
  const leave = (): void => {
    left.abort();
    listening.stop();
  };
  return context.body(sseStream(generate(left.signal), leave), 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
}
