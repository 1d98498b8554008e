import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { describeThrown } from '../../core/error.ts';
import { type Access, type AccessOptions, createAccess, type Credentials } from '../access/access.ts';
import { bearerToken } from '../access/bearer-token.ts';
import type { Person } from '../../core/roles.ts';
import { checkRequest, unauthorized } from '../check-request.ts';
import { listen } from '../listen.ts';
import { loadNodeLibrary, loadServerLibrary } from './server-library.ts';
import { teamServerFactory, type TeamServerOptions } from './team-server.ts';

/** Options of an MCP server over HTTP. Without a token or users, it answers everyone on this machine. */
export interface HttpOptions extends Omit<TeamServerOptions, 'person'>, AccessOptions {
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
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
 * @throws CadreError `OPTION_INVALID` when the port or the users cannot be used
 */
export async function serveOverHttp(options: HttpOptions): Promise<ServedTeams> {
  const [library, { toNodeHandler }] = await Promise.all([loadServerLibrary(), loadNodeLibrary()]);
  const handler = library.createMcpHandler(teamServerFactory(library, options));
  const handle = toNodeHandler(handler);
  const access = createAccess(options);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const admitted = admit(request, port, access);
    if ('refusal' in admitted) {
      const { status, message } = admitted.refusal;
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ error: message }));
      return;
    }
    const { person, given } = admitted;
    // A call may wait for an hour; a person who loses their access does not get its answer.
    response.once(
      'close',
      access.watch(given, person, () => response.destroy()),
    );
    const { name, role } = person;
    Object.assign(request, { auth: { token: '', clientId: name, scopes: [role] } satisfies AuthInfo });
    void handle(request as Parameters<typeof handle>[0], response);
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

/** A request that is answered, or why it is not. */
type Admitted =
  | { readonly person: Person; readonly given: Credentials }
  | { readonly refusal: { readonly status: number; readonly message: string } };

function admit(request: IncomingMessage, port: number, access: Access): Admitted {
  const refusal = checkRequest((name) => headerOf(request, name), { port });
  if (refusal !== undefined) return { refusal };
  const given = { token: bearerToken(headerOf(request, 'authorization')) };
  try {
    const person = access.find(given);
    if (person === undefined) return { refusal: unauthorized };
    const isKnown = (request.url ?? '').split('?')[0] === '/mcp';
    return isKnown ? { person, given } : { refusal: { status: 404, message: 'the server is at /mcp' } };
  } catch (thrown) {
    return { refusal: { status: 403, message: describeThrown(thrown) } };
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
