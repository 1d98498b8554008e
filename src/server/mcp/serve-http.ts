import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkRequest } from '../check-request.ts';
import { listen } from '../listen.ts';
import { loadNodeLibrary, loadServerLibrary } from './server-library.ts';
import { teamServerFactory, type TeamServerOptions } from './team-server.ts';

/** Options of an MCP server over HTTP. */
export interface HttpOptions extends TeamServerOptions {
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Token that requests must have; without it, the server answers everyone on this machine. */
  readonly token?: string;
}

/** A listening server. */
export interface ServedTeams {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves teams over HTTP, on the loopback address only. Speaks both eras of the protocol, without sessions: requests are independent
 * of each other.
 *
 * @throws CadreError `OPTION_INVALID` when the port cannot be used
 */
export async function serveOverHttp(options: HttpOptions): Promise<ServedTeams> {
  const [library, { toNodeHandler }] = await Promise.all([loadServerLibrary(), loadNodeLibrary()]);
  const handler = library.createMcpHandler(teamServerFactory(library, options));
  const handle = toNodeHandler(handler);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const refusal = checkRequest((name) => headerOf(request, name), { port, token: options.token }) ?? checkPath(request);
    if (refusal === undefined) {
      void handle(request as Parameters<typeof handle>[0], response);
      return;
    }
    response.writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ error: refusal.message }));
  });
  const port = await listen(server, options.port);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function checkPath(request: IncomingMessage): { readonly status: 404; readonly message: string } | undefined {
  return (request.url ?? '').split('?')[0] === '/mcp' ? undefined : { status: 404, message: 'the server is at /mcp' };
}
