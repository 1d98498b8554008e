import { callerOf } from '../../core/state/agent-path.ts';
import { CadreError } from '../../core/error.ts';
import type { RecordedTool } from '../../core/recording/recording.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { toolReturn } from '../../core/tool/tool-return.ts';
import type { Replay } from '../../models/replay/replay.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';

/** Returns a tool's outcome from the recording, without running the tool. */
export async function replayedTool(replay: Replay, run: RunContext, agent: SubContext, call: CallState): Promise<ToolOutcome> {
  const { request, index } = call;
  const found = await replay.tool(callerOf(run, agent), { index, tool: request.name }, call.args);
  if (found.ok) return toToolOutcome(found.value);
  return { status: 'error', error: new CadreError(found.error.code, found.error.message), progress: [] };
}

function toToolOutcome({ status, content, error, items = [] }: RecordedTool): ToolOutcome {
  const thrown = error === undefined ? undefined : new CadreError(error.code, error.message);
  const wasThrown = error !== undefined && content === JSON.stringify({ error: error.code, message: error.message });
  if (wasThrown || (status !== 'ok' && status !== 'error')) return { status, error: thrown, progress: [] };
  return { status: 'ok', returned: toolReturn({ content, isError: status === 'error', items }), progress: [] };
}
