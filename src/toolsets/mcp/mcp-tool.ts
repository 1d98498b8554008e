import type { EffectTool } from '../../core/tool/tool.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { sandboxUse } from '../sandbox/sandbox-policy.ts';
import { callServerTool } from './call-server-tool.ts';
import type { McpLink } from './mcp-link.ts';
import type { McpSettings } from './mcp-settings.ts';
import type { ServerTool } from './server-tool.ts';

/** What a tool of a server is made from. */
export interface McpToolParts {
  readonly toolset: string;
  /** What agents call it by. */
  readonly name: string;
  readonly tool: ServerTool;
  readonly settings: McpSettings;
  readonly link: McpLink;
}

/**
 * A server's tool as a tool of ours. What the server says of it counts only when the settings trust the server: else it is
 * `unsafe` and asks a person, unless the settings say otherwise.
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
    // What is pinned was looked at by a person.
    description_trust: settings.trust === 'trusted' || own.pin !== undefined ? 'trusted' : 'untrusted',
    needs_approval: own.needsApproval ?? settings.needsApproval ?? !hints.readOnly,
    timeout_ms: own.timeoutMs ?? settings.timeouts.call,
    max_result_chars: own.maxResultChars ?? settings.maxResultChars,
    by_name_only: true,
    fingerprint: tool.fingerprint,
    execute: (args, context) => callServerTool({ link, tool, name, mayRepeat: effect !== 'unsafe' }, args, context),
  });
  // Compiled now, so that a tool with a schema that cannot be used is left out alone.
  compileSchema(defined.parameters, `tool '${name}'`);
  return { ...defined, ...sandboxOf(settings) };
}

/** A server that is started here runs in the sandbox when its settings say so; one that is reached by its address is no program of ours. */
function sandboxOf({ address }: McpSettings): Pick<EffectTool, 'sandbox'> {
  if (address.transport !== 'stdio') return {};
  return { sandbox: sandboxUse(address.sandbox) };
}
