import type { CallState, TurnState } from '../core/state/turn-state.ts';
import type { RunContext } from '../core/state/run-context.ts';

/** A tool call and the turn that asked for it. */
export interface PlacedCall {
  readonly call: CallState;
  readonly turn: TurnState;
}

/** All tool calls of a run by the engine's call id. */
export function callIndex(run: RunContext): ReadonlyMap<string, PlacedCall> {
  const index = new Map<string, PlacedCall>();
  for (const turn of run.turns.values()) for (const call of turn.calls) index.set(call.callId, { call, turn });
  return index;
}
