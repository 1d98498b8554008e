import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { sandboxUse } from '../sandbox/sandbox-policy.ts';
import type { McpLink } from './mcp-link.ts';
import type { McpSettings } from './mcp-settings.ts';
import type { ServerTool } from './server-tool.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolReturn } from '../../core/tool/tool-return.ts';
import { unanswered, unansweredCode } from './transport/http-transport.ts';
import { loadClientLibrary, type ClientLibrary } from './client-library.ts';
import type { McpSession } from './mcp-session.ts';
import { readCallResult } from './read-call-result.ts';

/** Input for creating a server's tool. */
export interface McpToolParts {
  readonly toolset: string;
  /** Name used by agents. */
  readonly name: string;
  readonly tool: ServerTool;
  readonly settings: McpSettings;
  readonly link: McpLink;
}

/**
 * Creates a tool from a server's tool. The server's hints count only when the settings trust the server: otherwise the tool is `unsafe`
 * and requires approval, unless the settings override it.
 *
 * @throws CadreError `TOOL_INVALID` when its schema cannot be used
 */
export function createMcpTool({ toolset, name, tool, settings, link }: McpToolParts): EffectTool {
  const own = settings.tools.get(tool.name) ?? {};
  const hints = settings.trust === 'trusted' ? tool.hints : { readOnly: false, destructive: true, idempotent: false };
  const hinted = hints.readOnly ? 'pure' : hints.idempotent ? 'idempotent' : 'unsafe';
  const effect = own.effect ?? settings.effect ?? hinted;
  const defined = defineTool({
    name,
    toolset,
    description: own.description ?? tool.description,
    parameters: tool.inputSchema,
    effect,
    trust: own.results ?? settings.results,
    // A person has reviewed a pinned description.
    description_trust: settings.trust === 'trusted' || own.pin !== undefined ? 'trusted' : 'untrusted',
    needs_approval: own.needsApproval ?? settings.needsApproval ?? !hints.readOnly,
    timeout_ms: own.timeoutMs ?? settings.timeouts.call,
    max_result_chars: own.maxResultChars ?? settings.maxResultChars,
    by_name_only: true,
    fingerprint: tool.fingerprint,
    execute: (args, context) => callServerTool({ link, tool, name, mayRepeat: effect !== 'unsafe' }, args, context),
  });
  // Compiled now, so that only the tool with an unusable schema is left out.
  compileSchema(defined.parameters, `tool '${name}'`);
  return { ...defined, ...sandboxOf(settings) };
}

/** Returns the sandbox of a server that is started here, when its settings ask for one; a server at an address is no local program. */
function sandboxOf({ address }: McpSettings): Pick<EffectTool, 'sandbox'> {
  if (address.transport !== 'stdio') return {};
  return { sandbox: sandboxUse(address.sandbox) };
}

/** Most progress notes forwarded from one call. */
const maxProgressNotes = 1_000;

/** The tool to call, and its server. */
interface ServerCall {
  readonly link: McpLink;
  readonly tool: ServerTool;
  /** Name used by agents. */
  readonly name: string;
  /** True when a call whose outcome is unknown may be repeated. */
  readonly mayRepeat: boolean;
}

/** Outcome of a call without a result. */
type CallFailure =
  | { readonly kind: 'refused'; readonly error: CadreError }
  /** The server never received it: repeating it is safe. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** The connection was lost while the call ran. */
  | { readonly kind: 'lost'; readonly reason: string };

/**
 * Calls a tool of a server. When the connection is lost, a call that never reached the server, or that may be repeated, is made once more
 * over a new connection; the outcome of any other is unknown (I5). A tool that has changed on the server is not called: the listed form
 * is the one that was offered, approved and pinned.
 *
 * @throws CadreError `MCP_DISCONNECTED`, `MCP_UNAVAILABLE`, or `TOOL_FAILED` with the server's message
 */
async function callServerTool(call: ServerCall, args: JsonObject, context: ToolContext): Promise<ToolReturn> {
  const { link, tool, name, mayRepeat } = call;
  for (let attempt = 1; ; attempt += 1) {
    const session = await link.session(context.signal);
    if (!link.isUnchanged(tool)) throw changed(name, attempt);
    const outcome = await tryCall(session, { tool, args, context });
    if (!('kind' in outcome)) return outcome;
    if (context.signal.aborted) {
      void link.checkHealth(session);
      throw context.signal.reason;
    }
    if (outcome.kind === 'refused') throw outcome.error;
    await link.replaceSession(session, outcome.reason);
    if (attempt === 1 && (mayRepeat || outcome.kind === 'not_sent')) continue;
    throw disconnected(name, outcome, mayRepeat);
  }
}

interface CallAttempt {
  readonly tool: ServerTool;
  readonly args: JsonObject;
  readonly context: ToolContext;
}

async function tryCall(session: McpSession, { tool, args, context }: CallAttempt): Promise<ToolReturn | CallFailure> {
  let notes = 0;
  try {
    const result = await session.callTool(tool, args, {
      signal: context.signal,
      onProgress: ({ progress, total, message }) => {
        notes += 1;
        if (notes <= maxProgressNotes) context.progress(fractionOf(progress, total), message);
      },
    });
    return readCallResult(result);
  } catch (thrown) {
    return classify(await loadClientLibrary(), thrown);
  }
}

function fractionOf(progress: number, total: number | undefined): number {
  if (total !== undefined && total > 0) return progress / total;
  return progress <= 1 ? progress : 0;
}

function classify(library: ClientLibrary, thrown: unknown): CallFailure {
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = library;
  const reason = describeThrown(thrown);
  if (thrown instanceof ProtocolError) {
    if (thrown.code === unansweredCode) return { kind: 'lost', reason: unanswered };
    return {
      kind: 'refused',
      error: new CadreError('TOOL_FAILED', `the server answered with an error: ${reason.replace(/^ProtocolError: /, '')}`),
    };
  }
  if (thrown instanceof SdkHttpError) {
    // The server no longer knows the session, so it did nothing.
    if (thrown.data.status === 404) return { kind: 'not_sent', reason: 'it no longer knows this session (HTTP 404)' };
    return { kind: 'refused', error: new CadreError('TOOL_FAILED', `the server refused the call: ${reason}`) };
  }
  if (thrown instanceof SdkError) {
    const { code } = thrown;
    if (code === SdkErrorCode.ConnectionClosed) return { kind: 'lost', reason: 'the connection was closed' };
    if (code === SdkErrorCode.NotConnected || code === SdkErrorCode.SendFailed) return { kind: 'not_sent', reason };
    return { kind: 'refused', error: new CadreError('TOOL_FAILED', `the server sent an invalid result: ${reason}`) };
  }
  if (thrown instanceof CadreError) return { kind: 'lost', reason };
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return { kind: 'not_sent', reason: `it cannot be reached (${code})` };
  if (reason === 'Not connected') return { kind: 'not_sent', reason };
  return { kind: 'lost', reason: cause === undefined ? reason : `${reason}: ${describeThrown(cause)}` };
}

function changed(name: string, attempt: number): CadreError {
  const what = attempt === 1 ? 'was not called' : 'was not called once more after the connection was lost';
  return new CadreError(
    'MCP_UNAVAILABLE',
    `'${name}' ${what}: the server connected again, and no longer has it as it was (description, schema and hints). ` +
      'Check its current form, and call it again if needed.',
  );
}

function disconnected(name: string, failure: CallFailure & { readonly reason: string }, mayRepeat: boolean): CadreError {
  if (failure.kind === 'not_sent')
    return new CadreError('MCP_UNAVAILABLE', `'${name}' was not called: ${failure.reason}. Nothing happened.`);
  if (mayRepeat)
    return new CadreError(
      'MCP_DISCONNECTED',
      `the server was lost while '${name}' ran, twice: ${failure.reason}. It may be called again.`,
    );
  return new CadreError(
    'MCP_DISCONNECTED',
    `the server was lost while '${name}' ran: ${failure.reason}. It may or may not have happened: find out before you repeat it.`,
    { details: { outcome: 'unknown' } },
  );
}
