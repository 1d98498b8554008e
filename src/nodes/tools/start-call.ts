import type { TurnContext } from '../../core/turn-context.ts';
import { unplaced } from '../../core/events/event.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import { mustSyncStart } from './end-call.ts';

/** Puts on the record that a call begins to run, for the first time or again, and makes its tool due. */
export function startCall(context: TurnContext, call: CallState, tool: EffectTool, cause: number = call.request.seq): void {
  const { tx, agent } = context;
  const { turnId } = call.request;
  const { agentId } = agent.meta;
  const start = tx.emit(
    {
      type: 'tool.start',
      agentId,
      turnId,
      callId: call.callId,
      attempt: call.attempt + 1,
      runId: unplaced.runId,
      seq: unplaced.seq,
      at: unplaced.at,
      cause: unplaced.cause,
    },
    cause,
  );
  if (mustSyncStart(tool)) tx.sync = true;
  tx.effects.push({ kind: 'tool', agentId, turnId, callId: call.callId, pure: tool.effect === 'pure', cause: start.seq });
}
