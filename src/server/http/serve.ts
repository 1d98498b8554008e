import { CadreError } from '../../core/error.ts';
import type { Engine } from '../../engine/engine.ts';
import { listen } from '../listen.ts';
import { receiveMail } from '../reach/receive-mail.ts';
import { createServerApp, type ServerAppOptions } from './create-server-app.ts';
import { createNodeServer } from './node-server.ts';

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
  const server = createNodeServer(app);
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

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
