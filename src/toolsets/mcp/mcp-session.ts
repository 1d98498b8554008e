import { createRequire } from 'node:module';
import type { Client, RequestOptions, StandardSchemaV1, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../core/clock.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import { loadClientLibrary, type ClientLibrary } from './client-library.ts';
import { withDeadline } from './transport/deadline.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import type { McpSettings } from './mcp-settings.ts';
import type { ServerTool } from './server-tool.ts';
import { StdioTransport } from './transport/stdio-transport.ts';

const { version: clientVersion } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };

/** Most pages of a list of tools. */
const maxPages = 64;
/** Longest delay of a timer, for the client library's own time limits: they are never reached, ours are. */
const never = 2_147_483_647;

/** Clock, callbacks and signal for opening a session. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly events: SessionEvents;
  readonly signal: AbortSignal;
}

/** Callbacks of a session. */
export interface SessionEvents {
  /** Called when the server announces that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Called when the connection ends without being closed here. */
  readonly onLost: (reason: string) => void;
}

/** Signal and progress callback of a tool call. */
export interface CallPorts {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  }) => void;
}

interface SessionParts {
  readonly client: Client;
  readonly transport: Transport;
  readonly settings: McpSettings;
  readonly clock: Clock;
}

/**
 * One connection to a server, from the handshake to its end.
 *
 * 1. Every wait has a time limit of ours; the client library's limits are not relied upon.
 * 2. When the connection is lost, pending requests are rejected and `onLost` is called once.
 */
export class McpSession {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #settings: McpSettings;
  readonly #clock: Clock;
  #closed = false;

  private constructor({ client, transport, settings, clock }: SessionParts) {
    this.#client = client;
    this.#transport = transport;
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * Starts or calls the server and performs the handshake.
   *
   * @throws CadreError `MCP_UNAVAILABLE` with the problem, `DEPENDENCY_MISSING` without the client library
   */
  static async open(settings: McpSettings, ports: SessionPorts): Promise<McpSession> {
    const library = await loadClientLibrary();
    const modes = settings.protocol === 'auto' ? (['auto', 'legacy'] as const) : [settings.protocol];
    let failure: unknown;
    for (const mode of modes) {
      try {
        return await McpSession.#openAs(mode, { library, settings, ...ports });
      } catch (thrown) {
        failure = thrown;
        // Some servers exit when asked for their protocol version: they get a second start, and the old handshake.
        if (ports.signal.aborted || !endedByProbe(library, thrown)) break;
      }
    }
    throw failure;
  }

  static async #openAs(
    mode: McpSettings['protocol'],
    parts: SessionPorts & { readonly library: ClientLibrary; readonly settings: McpSettings },
  ): Promise<McpSession> {
    const { library, settings, clock, events, signal } = parts;
    const transport = createTransport(library, settings);
    const client = new library.Client(
      { name: 'cadre', version: clientVersion },
      {
        capabilities: {},
        jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
        versionNegotiation: {
          mode: mode === 'modern' ? { pin: '2026-07-28' } : mode,
          probe: { timeoutMs: settings.timeouts.probe },
        },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() } },
      },
    );
    const session = new McpSession({ client, transport, settings, clock });
    try {
      await withDeadline({ clock, ms: settings.timeouts.connect, missed: 'did not answer the handshake', signal }, (waiting) =>
        client.connect(transport, { timeout: never, signal: waiting }),
      );
    } catch (thrown) {
      const known = session.#detail();
      await session.close();
      throw endedByProbe(library, thrown) ? thrown : unavailable(thrown, known);
    }
    Object.assign(client, {
      onclose: () => {
        if (!session.#closed) events.onLost(session.#detail() || 'the connection was closed');
      },
    });
    return session;
  }

  /** Protocol version in use: `2025-11-25`, `2026-07-28`, … */
  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? 'unknown';
  }

  /** Returns the server's tools as it lists them, all pages. */
  async listTools(closing: AbortSignal): Promise<readonly unknown[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const limit = { clock: this.#clock, ms: this.#settings.timeouts.list, missed: 'did not list its tools', signal: closing };
    return await withDeadline(limit, async (signal) => {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const result = await this.#client.request({ method: 'tools/list', params }, anything, { timeout: never, signal });
        if (Array.isArray(result['tools'])) tools.push(...(result['tools'] as readonly unknown[]));
        const next = result['nextCursor'];
        if (typeof next !== 'string' || next === cursor) return tools;
        cursor = next;
      }
      throw new CadreError('MCP_UNAVAILABLE', `its list of tools has more than ${maxPages} pages`);
    });
  }

  /** Calls a tool and returns the server's answer, unchecked. Rejects with the client library's errors. */
  async callTool(tool: ServerTool, args: JsonObject, { signal, onProgress }: CallPorts): Promise<JsonObject> {
    const params = { name: tool.name, arguments: args };
    const options: RequestOptions = { timeout: never, signal, onprogress: onProgress };
    // The newer protocol mirrors arguments in headers where a schema requires it; only the library's own call does that.
    if (this.#client.getProtocolEra() === 'modern') {
      const toolDefinition = { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' as const } };
      return (await this.#client.callTool(params, { ...options, toolDefinition })) as JsonObject;
    }
    return await this.#client.request({ method: 'tools/call', params }, anything, options);
  }

  /** True when the server still answers. */
  async isAlive(): Promise<boolean> {
    const limit = { clock: this.#clock, ms: 3_000, missed: 'did not answer' };
    try {
      await withDeadline(limit, (signal) => {
        const options = { timeout: never, signal };
        return this.#client.getProtocolEra() === 'modern' ? this.#client.discover(options) : this.#client.ping(options);
      });
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the connection, and the server's process when it was started here. */
  async close(): Promise<void> {
    this.#closed = true;
    // A close that hangs is abandoned after its time; the process group is ended either way.
    const limit = { clock: this.#clock, ms: this.#settings.timeouts.close, missed: 'did not close' };
    await withDeadline(limit, async () => {
      await this.#client.close();
      await this.#transport.close();
    }).catch(() => undefined);
  }

  #detail(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.describe() : '';
  }
}

function createTransport(library: ClientLibrary, settings: McpSettings): Transport {
  const { address, maxMessageBytes, timeouts } = settings;
  return address.transport === 'stdio'
    ? new StdioTransport(address, { maxMessageBytes, closeMs: timeouts.close })
    : createHttpTransport(library, address, maxMessageBytes);
}

/** Accepts any result, since ours is read leniently: the library would reject a whole list for one bad tool in it. */
const anything: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'cadre',
    validate: (value) =>
      isJsonObject(value) ? { value } : { issues: [{ message: 'the server sent a result that is not an object' }] },
  },
};

function endedByProbe({ SdkError, SdkErrorCode }: ClientLibrary, thrown: unknown): boolean {
  return thrown instanceof SdkError && thrown.code === SdkErrorCode.EraNegotiationFailed;
}

function unavailable(thrown: unknown, known: string): CadreError {
  if (thrown instanceof CadreError && thrown.code === 'DEPENDENCY_MISSING') return thrown;
  const message = [describeConnectError(thrown), known].filter((part) => part !== '').join('; ');
  const permanent = thrown instanceof CadreError && (thrown.details['permanent'] === true || thrown.code === 'SANDBOX_UNAVAILABLE');
  return new CadreError('MCP_UNAVAILABLE', message, { cause: thrown, details: permanent ? { permanent } : {} });
}

function describeConnectError(thrown: unknown): string {
  if (thrown instanceof CadreError) return thrown.message;
  const cause = thrown instanceof Error && thrown.cause !== undefined ? ` (${describeThrown(thrown.cause)})` : '';
  return `${describeThrown(thrown)}${cause}`;
}
