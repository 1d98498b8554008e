import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { CadreError, describeThrown } from '../core/error.ts';
import type { RuntimeHost } from '../core/runtime.ts';
import { loadSdk } from './load-sdk.ts';
import type { RestateWorkerOptions } from './restate-options.ts';
import { restateServices, type ServiceNames } from './restate-services.ts';

/** Works at a time on one connection. Restate opens more as it needs them, and each goes to one of the workers that share an address. */
const worksPerConnection = 8;

/** A worker's server. */
export interface RestateEndpoint {
  /** URL of this server. */
  readonly url: string;
  /** Accepts no new work, and resolves when the work in progress has ended, or was cut after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Starts the server that Restate sends work to. Throws RUNTIME_FAILED when it cannot listen. */
export async function openEndpoint(
  names: ServiceNames,
  host: RuntimeHost,
  { host: address = '127.0.0.1', port = 9080, sharePort = false, identityKeys }: RestateWorkerOptions,
): Promise<RestateEndpoint> {
  const sdk = await loadSdk();
  const sessions = new Set<http2.ServerHttp2Session>();
  // What this worker lacks is offered to another one only over another connection.
  const turnAway = (): void => {
    for (const session of sessions) session.close();
  };
  const handler = sdk.createEndpointHandler({
    services: restateServices(sdk, names, offering(host, turnAway)),
    ...(identityKeys === undefined ? {} : { identityKeys: [...identityKeys] }),
    logger: ({ level }, ...said) => {
      const text = said.map((each) => describeThrown(each)).join(' ');
      // A connection that was cut is nothing to report: the work is sent again.
      if (levelName(level) === 'error' && !text.startsWith('Got abort error'))
        process.emitWarning(text.slice(0, 1_000), 'CadreWarning');
    },
  });
  const server = http2.createServer({ settings: { maxConcurrentStreams: worksPerConnection } }, handler);
  // Restate sends work again over another connection.
  server.on('session', (session) => {
    session.on('error', () => undefined);
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new CadreError(
          'RUNTIME_FAILED',
          `the worker cannot listen on ${address}:${port}: ${describeThrown(error)}. Choose another port`,
          {
            cause: error,
          },
        ),
      ),
    );
    server.listen({ host: address, port, reusePort: sharePort }, resolve);
  });
  server.on('error', (error) => process.emitWarning(`the worker could not take a connection: ${error.message}`, 'CadreWarning'));
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${actual}`,
    close: (graceMs) => closeServer(server, sessions, graceMs),
  };
}

/** Levels are an enum whose values the package does not export. */
function levelName(level: string): string {
  return level;
}

/** Returns a host that calls back when it lacks what a work needs. */
function offering(host: RuntimeHost, turnAway: () => void): RuntimeHost {
  const offered = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof CadreError && thrown.code === 'WORKER_LACKS') turnAway();
      throw thrown;
    }
  };
  return {
    apply: (runId, delivery) => offered(host.apply(runId, delivery)),
    wake: (runId) => offered(host.wake(runId)),
    perform: (runId, work, signal) => offered(host.perform(runId, work, signal)),
  };
}

async function closeServer(server: http2.Http2Server, sessions: Set<http2.ServerHttp2Session>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Streams in progress end; Restate opens new ones elsewhere.
  for (const session of sessions) session.close();
  const late = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, graceMs);
  await closed;
  clearTimeout(late);
}
