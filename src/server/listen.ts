import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CadreError, describeThrown } from '../core/error.ts';

/** Maximum number of open connections; further ones are closed immediately. */
const maxConnections = 256;

/**
 * Makes a server listen and returns its port. From then on, neither a connection that breaks nor a failure to accept one ends the process.
 *
 * @throws CadreError `OPTION_INVALID` when the port or the address cannot be used
 */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  server.maxConnections = maxConnections;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CadreError(
      'OPTION_INVALID',
      `port ${port} cannot be used: ports are whole numbers from 0 (any that is free) to 65535`,
    );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  try {
    await promise;
  } catch (thrown) {
    throw new CadreError(
      'OPTION_INVALID',
      `port ${port} of ${host} cannot be used: ${describeThrown(thrown)}; name another one with --port, or --host`,
      {
        cause: thrown,
      },
    );
  } finally {
    server.off('error', reject);
  }
  server.on('error', (thrown) => process.emitWarning(`the server could not take a connection: ${thrown.message}`, 'CadreWarning'));
  // What answers a request notices its end; an error without a listener would end the process.
  server.on('request', (request, response) => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
  });
  return (server.address() as AddressInfo).port;
}
