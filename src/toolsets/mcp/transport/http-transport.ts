import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { ClientLibrary } from '../client-library.ts';
import type { HttpAddress } from '../mcp-settings.ts';
import { CadreError } from '../../../core/error.ts';

/** Error code for a request whose stream the server ended without an answer. */
export const unansweredCode = -32_098;
export const unanswered = 'the server ended its answer before the result came';

/** Number and delays of reconnections of a broken event stream. */
const reconnection = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
} as const;

/** Creates a transport to a server over HTTP. Redirects are followed within its origin only. */
export function createHttpTransport(library: ClientLibrary, address: HttpAddress, maxMessageBytes: number): Transport {
  const url = new URL(address.url);
  const fetch = cappedFetch(maxMessageBytes);
  const requestInit = { headers: { ...address.headers } };
  if (address.transport === 'sse') return new library.SSEClientTransport(url, { fetch, requestInit });
  const transport = new library.StreamableHTTPClientTransport(url, { fetch, requestInit, reconnectionOptions: reconnection });
  return answeringEveryRequest(transport);
}

/**
 * Answers a request with an error when its stream ends without an answer; otherwise the request would wait for its timeout. An earlier
 * answer wins.
 */
function answeringEveryRequest<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport);
  transport.send = async (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if (!('method' in message) || !('id' in message)) {
      await send(message, options);
      return;
    }
    const { id } = message;
    await send(message, {
      ...options,
      onRequestStreamEnd: () =>
        transport.onmessage?.({
          jsonrpc: '2.0',
          id,
          error: { code: unansweredCode, message: unanswered },
        }),
    });
  };
  return transport;
}

/**
 * Returns a `fetch` whose answers are limited: a message of more than `maxBytes` aborts its stream. In an event stream the limit applies
 * to each event with all its lines; in any other answer to the whole body.
 */
function cappedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const capped = response.body.pipeThrough(countBytes(maxBytes, isStream));
    return new Response(capped, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function countBytes(maxBytes: number, perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  const events = new EventEnds();
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const rest = perEvent ? events.afterLast(chunk) : undefined;
      count = rest ?? count + chunk.length;
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

const lineFeed = 10;
const carriageReturn = 13;

/** Finds the ends of events, which are empty lines, in a stream split anywhere. */
class EventEnds {
  /** True when the current line is empty so far. */
  #atStart = true;
  #last = 0;

  /** Returns how many bytes follow the last end of an event in this chunk; undefined when none ends in it. */
  afterLast(chunk: Uint8Array): number | undefined {
    let rest: number | undefined;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      const isSecondHalf = byte === lineFeed && this.#last === carriageReturn;
      this.#last = byte;
      if (isSecondHalf) continue;
      const endsLine = byte === lineFeed || byte === carriageReturn;
      if (endsLine && this.#atStart) rest = chunk.length - at - 1;
      this.#atStart = endsLine;
    }
    return rest;
  }
}
