import type { EffectTool } from '../../core/tool/tool.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { sandboxUse } from '../sandbox/sandbox-policy.ts';
import { callServerTool } from './call-server-tool.ts';
import type { McpLink } from './mcp-link.ts';
import type { McpSettings } from './mcp-settings.ts';
import type { ServerTool } from './server-tool.ts';

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
