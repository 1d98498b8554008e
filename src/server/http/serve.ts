import { CadreError } from '../../core/error.ts';
import type { Engine } from '../../engine/engine.ts';
import { listen } from '../listen.ts';
import { receiveMail } from '../reach/receive-mail.ts';
import { createServerApp, type ServerAppOptions } from './create-server-app.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { ErrorAnswer } from './error-statuses.ts';
import type { ServerApp } from './server-parts.ts';

/** Options of a server. */
export interface ServeOptions extends Omit<ServerAppOptions, 'allowsAddresses'> {
  /** Port to listen on; 0, the default, picks a free one. */
  readonly port?: number;
  /** Address to listen on, 127.0.0.1 by default. Any other needs a token, or users. */
  readonly host?: string;
}

/** A listening server. */
export interface Served {
  /** URL of the server, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Closes all connections and resolves when the port is free. The engine stays open. */
  close(): Promise<void>;
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/**
 * Serves an engine over HTTP: its runs as JSON and live streams, and the page that shows them.
 *
 * @throws CadreError `OPTION_INVALID` when the port cannot be used, or other machines could connect without a token
 */
export async function serve(engine: Engine, options: ServeOptions = {}): Promise<Served> {
  const { host = '127.0.0.1', port = 0, ...rest } = options;
  const isLocal = loopback.has(host);
  if (!isLocal && rest.token === undefined && rest.users === undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `${host} can be reached from other machines: give its clients a token (--token), or name its users (--users)`,
    );
  const allowedHosts = isLocal ? rest.allowedHosts : [host, ...(rest.allowedHosts ?? [])];
  const app = createServerApp(engine, { ...rest, ...(allowedHosts && { allowedHosts }), allowsAddresses: !isLocal });
  const server = createNodeServer(app);
  const taken = await listen(server, port, host);
  // Other processes reach the served runs through the mail folder.
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

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Time limits for requests, in milliseconds. Answers have none: streams do not end. */
interface RequestTimes {
  /** For the head of a request, from the start of the connection. */
  readonly head: number;
  /** For the whole request. */
  readonly request: number;
  /** Interval at which the limits are checked. */
  readonly checkEvery: number;
}

const usualTimes: RequestTimes = { head: 10_000, request: 60_000, checkEvery: 2_000 };
const longestHead = 16_384;

/** Creates a Node server for an app, with limits against clients that send slowly on purpose. */
export function createNodeServer(app: ServerApp, times: RequestTimes = usualTimes): Server {
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: answerMalformed });
  return createServer(
    {
      headersTimeout: times.head,
      requestTimeout: times.request,
      connectionsCheckingInterval: times.checkEvery,
      maxHeaderSize: longestHead,
    },
    (request, response) => {
      if (isForItsHost(request)) void handle(request, response);
      else sendMalformed(response);
    },
  );
}

/**
 * True when the target of a request is a path, or names the host in `Host`. A target with another host, as sent to a proxy, would
 * bypass the check of `Host`.
 */
function isForItsHost({ url = '', headers }: IncomingMessage): boolean {
  if (url.startsWith('/')) return true;
  return URL.canParse(url) && new URL(url).host === headers.host?.toLowerCase();
}

const malformed: ErrorAnswer = { error: { code: 'REQUEST_INVALID', message: 'the request cannot be read' } };

/** Answers a request that cannot be parsed, such as one whose Host is not a host. */
function answerMalformed(): Response {
  return Response.json(malformed, { status: 400 });
}

function sendMalformed(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(malformed));
}
