import { agentRoots } from '../../../core/expression/agent-roots.ts';
import type { ToolGate } from '../../../core/profile/profile.ts';
import { everyTool } from '../../../core/tool/tool-naming.ts';
import { ownApprovalGate } from '../../../core/tool/wait-for.ts';
import { quote } from '../../wording.ts';
import { childOf, toPlain, type MapNode } from '../../yaml/source-node.ts';
import { checkMeantTool, checkToolset, isKind, refOf, type CompileContext } from '../compile-context.ts';
import { compileCondition, compileText } from '../compile-text.ts';
import { toMilliseconds } from '../configs/duration.ts';
import { mapItems, readText, textItems, textNode } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';

const open = { kind: 'open' } as const;

/** Roots that messages of gates read: those of an agent, the arguments, and the prompt's sources. */
const messageRoots = {
  ...agentRoots,
  args: open,
  prompt: { kind: 'closed', fields: { sources: open, untrusted: open, tainted: open } },
} as const;

/**
 * Roots that conditions of gates read. An argument that a call leaves out is unknown: its tool may do anything for it, so that a gate does not
 * pass over it.
 */
const gateRoots = { ...messageRoots, args: { kind: 'open', required: true } } as const;

/** Compiles the gates on tool calls; a gate that names neither tools nor toolsets applies to all of them. */
export function compileGates(context: CompileContext, profile: MapNode): readonly ToolGate[] {
  const gates: ToolGate[] = [];
  for (const node of mapItems(profile, 'tool_gates')) {
    const id = readText(node, 'id') ?? '';
    if (id === ownApprovalGate)
      context.report.error('NOT_ALLOWED', {
        at: childOf(node, 'id')?.at ?? node.at,
        message: `a gate cannot have the id ${quote(id)}: the record names a tool's own request for approval by it`,
      });
    requireKey(context, node, { key: 'verdict', owner: `gate ${quote(id)}` });
    const condition = compileCondition(context.report, node, { roots: gateRoots });
    const tools = textItems(node, 'tools');
    const toolsets = textItems(node, 'toolsets');
    for (const tool of tools) if (tool.value !== everyTool) checkMeantTool(context, tool);
    for (const toolset of toolsets) checkGateToolset(context, toolset);
    const verdict = readText(node, 'verdict');
    const words = textNode(node, 'message');
    const message = words === undefined ? undefined : compileText(context, words, messageRoots);
    const expires = expiryOf(context, node);
    gates.push({
      id,
      // By the keys, not by their items: an empty list never means all tools.
      tools: node.entries.has('tools') || node.entries.has('toolsets') ? tools.map((tool) => tool.value) : [everyTool],
      toolsets: toolsets.map((toolset) => toolset.value),
      ...(condition === undefined ? {} : { condition }),
      verdict: verdict === 'allow' || verdict === 'ask' ? verdict : 'deny',
      ...(message === undefined ? {} : { message }),
      ...(expires === undefined ? {} : { expires }),
      source: refOf(node),
    });
  }
  return gates;
}

/** Checks the toolset of a gate: a name or a kind. `*` is a tool name only, so that there is one way to mean all calls. */
function checkGateToolset(context: CompileContext, toolset: ReturnType<typeof textItems>[number]): void {
  if (toolset.value === everyTool) {
    const message = `${quote(everyTool)} is no toolset`;
    context.report.error('UNKNOWN_TOOLSET', { at: toolset.at, message, hint: "a gate over all tools has tools: ['*']" });
  } else if (!isKind(context, toolset.value)) checkToolset(context, toolset);
}

/** Reads how long a person has to decide, and the verdict after that. */
function expiryOf(context: CompileContext, node: MapNode): ToolGate['expires'] {
  const after = childOf(node, 'expires_after');
  const verdict = readText(node, 'on_expire');
  if (after === undefined) {
    const stray = verdict === undefined ? undefined : childOf(node, 'on_expire');
    if (stray !== undefined)
      context.report.error('MISSING_KEY', {
        at: stray.at,
        message: '`on_expire` has no effect without `expires_after`',
        hint: 'for example expires_after: 30m',
      });
    return undefined;
  }
  const afterMs = toMilliseconds(toPlain(after));
  return afterMs === undefined ? undefined : { afterMs, verdict: verdict === 'allow' ? 'allow' : 'deny' };
}
