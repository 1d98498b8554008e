import { CadreError, describeThrown } from '../../core/error.ts';

/** Server package of the protocol. */
export type ServerLibrary = typeof import('@modelcontextprotocol/server');
/** Part of it for standard input and output. */
export type StdioLibrary = typeof import('@modelcontextprotocol/server/stdio');
/** Part of it for Node's HTTP server. */
export type NodeLibrary = typeof import('@modelcontextprotocol/node');

/**
 * Loads the server package on first use.
 *
 * @throws CadreError `DEPENDENCY_MISSING` with the install command when a package is missing
 */
export async function loadServerLibrary(): Promise<ServerLibrary> {
  return await needed(() => import('@modelcontextprotocol/server'));
}

/** Loads the transport for standard input and output. */
export async function loadStdioLibrary(): Promise<StdioLibrary> {
  return await needed(() => import('@modelcontextprotocol/server/stdio'));
}

/** Loads the transport for HTTP. */
export async function loadNodeLibrary(): Promise<NodeLibrary> {
  return await needed(() => import('@modelcontextprotocol/node'));
}

async function needed<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    throw new CadreError(
      'DEPENDENCY_MISSING',
      `serving MCP needs packages that cannot be loaded (${describeThrown(thrown)}). ` +
        'Install them with: npm install @modelcontextprotocol/server @modelcontextprotocol/node',
    );
  }
}
