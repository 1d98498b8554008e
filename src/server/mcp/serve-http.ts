import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CadreError, describeThrown } from '../../core/error.ts';
import { checkRequest } from './check-request.ts';
import { loadNodeLibrary, loadServerLibrary } from './server-library.ts';
import { teamServerFactory, type TeamServerOptions } from './team-server.ts';

/** Where and for whom teams are served over HTTP. */
export interface HttpOptions extends TeamServerOptions {
  /** 0 takes any port that is free. */
  readonly port: number;
  /** What requests must bear; without it, everybody on this machine is answered. */
  readonly token?: string;
}

/** A server that listens. */
export interface ServedTeams {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves teams over HTTP, to this machine alone. Speaks both eras of the protocol, without sessions: every request stands for
 * itself.
 *
 * @throws CadreError `OPTION_INVALID` when the port cannot be had
 */
export async function serveOverHttp(options: HttpOptions): Promise<ServedTeams> {
  const [library, { toNodeHandler }] = await Promise.all([loadServerLibrary(), loadNodeLibrary()]);
  const handler = library.createMcpHandler(teamServerFactory(library, options));
  const handle = toNodeHandler(handler);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const refusal = checkRequest(request, port, options.token);
    if (refusal === undefined) {
      void handle(request as Parameters<typeof handle>[0], response);
      return;
    }
    response.writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ error: refusal.message }));
  });
  server.maxConnections = 256;
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  try {
    await promise;
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `port ${port} cannot be had: ${describeThrown(thrown)}; name another one with --port`);
  }
}
