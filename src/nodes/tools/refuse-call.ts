import type { TurnContext } from '../../core/turn-context.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { CallStatus } from '../../core/state/turn.ts';
import { failCall } from './end-call.ts';

/**
 * Ends a call that must not start. One that was interrupted while it ran, and that nothing says did not happen, is of unknown
 * outcome: the reason says only why it is not repeated (I5).
 */
export function refuseCall(
  context: TurnContext,
  call: CallState,
  refusal: ErrorRecord & { readonly status: CallStatus; readonly cause?: number; readonly taint?: readonly string[] },
): void {
  const { env } = context;
  const { name } = call.request;
  const isHarmless = env.catalog.get(name)?.effect === 'pure';
  if (!call.mayHaveHappened || isHarmless) {
    failCall(context, call.callId, refusal);
    return;
  }
  const message = `'${name}' was interrupted while it ran, and may or may not have happened. It is not run again: ${refusal.message}`;
  failCall(context, call.callId, { ...refusal, status: 'unknown', code: 'TOOL_OUTCOME_UNKNOWN', message });
}
