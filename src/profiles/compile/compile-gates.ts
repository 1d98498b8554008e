import { agentRoots } from '../../core/expression/agent-roots.ts';
import type { ToolGate } from '../../core/profile.ts';
import { quote } from '../wording.ts';
import type { MapNode } from '../yaml/source-node.ts';
import { checkTool, checkToolset, refOf, type CompileContext } from './compile-context.ts';
import { compileCondition } from './compile-text.ts';
import { mapItems, readText, textItems } from './read-node.ts';
import { requireKey } from './require-key.ts';

const gateRoots = { ...agentRoots, args: { kind: 'open' } } as const;

/** Stands for all tools. */
const everyTool = '*';

/** Compiles the gates in front of tool calls; one that names neither tools nor toolsets is about all of them. */
export function compileGates(context: CompileContext, profile: MapNode): readonly ToolGate[] {
  const gates: ToolGate[] = [];
  for (const node of mapItems(profile, 'tool_gates')) {
    const id = readText(node, 'id') ?? '';
    requireKey(context, node, 'verdict', `gate ${quote(id)}`);
    const condition = compileCondition(context.report, node, gateRoots);
    const tools = textItems(node, 'tools');
    const toolsets = textItems(node, 'toolsets');
    for (const tool of tools) if (tool.value !== everyTool) checkTool(context, tool);
    for (const toolset of toolsets) checkToolset(context, toolset);
    const verdict = readText(node, 'verdict');
    const message = readText(node, 'message');
    gates.push({
      id,
      tools: tools.length + toolsets.length === 0 ? [everyTool] : tools.map((tool) => tool.value),
      toolsets: toolsets.map((toolset) => toolset.value),
      ...(condition === undefined ? {} : { condition }),
      verdict: verdict === 'allow' || verdict === 'ask' ? verdict : 'deny',
      ...(message === undefined ? {} : { message }),
      source: refOf(node),
    });
  }
  return gates;
}
