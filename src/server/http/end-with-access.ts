import type { Context } from 'hono';
import type { ServerEnv } from './server-parts.ts';

/**
 * Ends a stream of events when its reader loses their access; `watch` tells of that and returns how to stop watching. Other answers end by
 * themselves.
 */
export function endWithAccess(context: Context<ServerEnv>, watch: (leave: () => void) => () => void): void {
  const { body, headers } = context.res;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) return;
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => undefined);
  const stop = watch(leave);
  const ended = new ReadableStream<Uint8Array>(
    {
      // A cancelled reader has no more to read, so the stream ends like any other, and a client connects again.
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          stop();
          controller.close();
        } catch (thrown) {
          stop();
          throw thrown;
        }
      },
      cancel: async (reason) => {
        stop();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  context.res = new Response(ended, context.res);
}
