import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { ClientLibrary } from '../client-library.ts';
import type { HttpAddress } from '../mcp-settings.ts';
import { cappedFetch } from './capped-fetch.ts';

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
