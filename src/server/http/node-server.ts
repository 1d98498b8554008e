import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { ErrorAnswer } from './answer-error.ts';
import type { ServerApp } from './server-parts.ts';

/** How long a client may take, in milliseconds. Answers may take as long as they do: streams have no end. */
export interface RequestTimes {
  /** For the head of a request, from the beginning of a connection. */
  readonly head: number;
  /** For the whole of it. */
  readonly request: number;
  /** How often that is looked at. */
  readonly look: number;
}

const usualTimes: RequestTimes = { head: 10_000, request: 60_000, look: 2_000 };
const longestHead = 16_384;

/** A server of node for an app, which clients that are slow on purpose keep from nothing. */
export function createNodeServer(app: ServerApp, times: RequestTimes = usualTimes): Server {
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: answerMalformed });
  return createServer(
    {
      headersTimeout: times.head,
      requestTimeout: times.request,
      connectionsCheckingInterval: times.look,
      maxHeaderSize: longestHead,
    },
    (request, response) => {
      if (isForItsHost(request)) void handle(request, response);
      else sendMalformed(response);
    },
  );
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
