import { CadreError } from '../../../src/core/error.ts';
import type { CallId, RunId } from '../../../src/core/ids.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolsetKind } from '../../../src/core/tool/toolset.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import { workspaceToolset } from '../../../src/toolsets/workspace/workspace-toolset.ts';
import { errorOf } from '../documents/call-tool.ts';
import { toolContext } from '../../tools/tool-context.ts';

/** The workspace tools over a folder. */
export interface WorkspaceTools {
  readonly tools: readonly EffectTool[];
  /** Calls a tool and gives what it returned; each call has an id of its own unless one is given. */
  call(name: string, args: JsonObject, id?: string): Promise<unknown>;
  /** The same, for tools that answer with a text. */
  text(name: string, args: JsonObject, id?: string): Promise<string>;
  /** The error a call ends in. */
  fails(name: string, args: JsonObject, id?: string): Promise<CadreError>;
}

/** Opens the tools over a folder. */
export function openWorkspace(
  workspace: string,
  settings: JsonObject = {},
  runId = 'r1',
  kind: ToolsetKind = workspaceToolset,
): WorkspaceTools {
  const tools = kind.create({ name: 'workspace', settings, toolName: (tool) => tool }).tools as readonly EffectTool[];
  let calls = 0;
  const call = async (name: string, args: JsonObject, id?: string): Promise<unknown> => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const checked = tool.check(args);
    if (!checked.ok) throw new CadreError('TOOL_ARGUMENTS_INVALID', JSON.stringify(checked.errors));
    calls += 1;
    const toolCallId = (id ?? `c${String(calls).padStart(8, '0')}`) as CallId;
    return await tool.execute(args, toolContext({ workspace, runId: runId as RunId, toolCallId }));
  };
  const text = async (name: string, args: JsonObject, id?: string): Promise<string> => {
    const result = await call(name, args, id);
    if (typeof result !== 'string') throw new Error(`${name} returned ${typeof result}`);
    return result;
  };
  return { tools, call, text, fails: async (name, args, id) => await errorOf(call(name, args, id)) };
}
