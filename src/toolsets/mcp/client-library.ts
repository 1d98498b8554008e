import { CadreError, describeThrown } from '../../core/error.ts';

/** The package that implements the protocol. */
export type ClientLibrary = typeof import('@modelcontextprotocol/client');

/**
 * Loads the client library on first use.
 *
 * @throws CadreError `DEPENDENCY_MISSING` with the install command when it is not installed
 */
export async function loadClientLibrary(): Promise<ClientLibrary> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (thrown) {
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `MCP servers need the package @modelcontextprotocol/client, which cannot be loaded (${describeThrown(thrown)}). ` +
        'Install it with: npm install @modelcontextprotocol/client',
    );
  }
}
