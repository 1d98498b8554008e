import { CadreError } from '../../core/error.ts';

/**
 * `fetch` whose answers cannot grow without end: a message of more than `maxBytes` breaks its stream off. In an event stream
 * a line is counted, in any other answer the whole body.
 */
export function cappedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const capped = response.body.pipeThrough(countBytes(maxBytes, isStream));
    return new Response(capped, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function countBytes(maxBytes: number, perLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const newline = perLine ? chunk.lastIndexOf(10) : -1;
      count = newline === -1 ? count + chunk.length : chunk.length - newline - 1;
      if (count > maxBytes) {
        controller.error(
          new CadreError('MCP_DISCONNECTED', `it sent a message of more than ${maxBytes} bytes (max_message_bytes)`),
        );
        return;
      }
      controller.enqueue(chunk);
    },
  });
}
