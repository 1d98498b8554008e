import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { CadreError } from '../../core/error.ts';
import type { Engine } from '../../engine/engine.ts';
import { listen } from '../listen.ts';
import { receiveMail } from '../reach/receive-mail.ts';
import type { ErrorAnswer } from './answer-error.ts';
import { createServerApp, type ServerAppOptions } from './create-server-app.ts';

/** Where an engine is served, and for whom. */
export interface ServeOptions extends Omit<ServerAppOptions, 'allowsAddresses'> {
  /** 0, the default, takes any port that is free. */
  readonly port?: number;
  /** The address to listen on: 127.0.0.1 unless given. Any other needs a token. */
  readonly host?: string;
}

/** A server that listens. */
export interface Served {
  /** Where it is asked, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Ends all connections, and resolves when the port is free. The engine stays open. */
  close(): Promise<void>;
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/** How long a client may take for the head and for the whole of a request, in milliseconds. Answers may take as long as they do. */
const headTimeoutMs = 10_000;
const requestTimeoutMs = 60_000;
const longestHead = 16_384;

/**
 * Serves an engine over HTTP: its runs as JSON and live streams, and the page to look at them.
 *
 * @throws CadreError `OPTION_INVALID` when the port cannot be had, or others than this machine could ask without a token
 */
export async function serve(engine: Engine, options: ServeOptions = {}): Promise<Served> {
  const { host = '127.0.0.1', port = 0, ...rest } = options;
  const isLocal = loopback.has(host);
  if (!isLocal && rest.token === undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `${host} can be reached from other machines: name a token that its clients must bear (--token)`,
    );
  const allowedHosts = isLocal ? rest.allowedHosts : [host, ...(rest.allowedHosts ?? [])];
  const app = createServerApp(engine, { ...rest, ...(allowedHosts && { allowedHosts }), allowsAddresses: !isLocal });
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: answerMalformed });
  const server = createServer(
    {
      headersTimeout: headTimeoutMs,
      requestTimeout: requestTimeoutMs,
      maxHeaderSize: longestHead,
      connectionsCheckingInterval: 2_000,
    },
    (request, response) => {
      if (isForItsHost(request)) void handle(request, response);
      else sendMalformed(response);
    },
  );
  const taken = await listen(server, port, host);
  // What is served is also reached from terminals.
  const mail = receiveMail(engine);
  return {
    url: `http://${urlHost(host)}:${taken}`,
    port: taken,
    close: async () => {
      mail[Symbol.dispose]();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Whether the target of a request is a path, or names the host that `Host` names: who puts another one there, as to a proxy, asks for that
 * one, and `Host` is what is checked.
 */
function isForItsHost({ url = '', headers }: IncomingMessage): boolean {
  if (url.startsWith('/')) return true;
  return URL.canParse(url) && new URL(url).host === headers.host?.toLowerCase();
}

const malformed: ErrorAnswer = { error: { code: 'REQUEST_INVALID', message: 'the request cannot be read' } };

/** What nothing can be read of, such as a request whose Host is no host. */
function answerMalformed(): Response {
  return Response.json(malformed, { status: 400 });
}

function sendMalformed(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(malformed));
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
