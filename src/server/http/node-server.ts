import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { ErrorAnswer } from './answer-error.ts';
import type { ServerApp } from './server-parts.ts';

/** Time limits for requests, in milliseconds. Answers have none: streams do not end. */
export interface RequestTimes {
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
