import { TurnContext } from '../../core/turn-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import { endAgent } from '../turn/end-agent.ts';
import { failCall } from './end-call.ts';

/**
 * Ends a call whose tool no longer exists because the code has changed, since it can neither run nor continue. Ends the agents
 * it waits for, too. A call that had started may have taken effect, and its result says so (I5).
 */
export function endMissing(context: TurnContext, call: CallState): void {
  const { tx, env, agent } = context;
  const wait = call.waitFor;
  if (wait?.kind === 'agents') {
    for (const agentId of wait.agentIds) {
      const child = tx.run.agents.get(agentId);
      const error = { code: 'TOOL_MISSING', message: `the tool that started it, '${call.request.name}', is gone` } as const;
      if (child !== undefined)
        endAgent(new TurnContext(tx, env, child), { outcome: 'cancelled', error }, call.request.seq, agent.meta.agentId);
    }
  }
  const isBegun = call.status === 'running';
  const happened = isBegun
    ? 'It was interrupted while it ran, and may or may not have happened: find out before you do it in another way.'
    : 'It was not run.';
  failCall(context, call.callId, {
    status: isBegun ? 'unknown' : 'error',
    code: 'TOOL_MISSING',
    message: `the tool '${call.request.name}' does not exist any more. ${happened}`,
  });
}
