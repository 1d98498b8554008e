import type { TurnId } from './ids.ts';
import type { RunState } from './state.ts';

/**
 * Where an inbox item of a run is, by its id: the turn that read it, or `unread` when it waits or was given up; undefined when the
 * state knows none of this id. It knows items as long as it holds the turns that read them.
 */
export function findItem(run: RunState, itemId: string): TurnId | 'unread' | undefined {
  for (const turn of run.turns.values()) if (turn.start.inputs.some((input) => input.itemId === itemId)) return turn.turnId;
  for (const agent of run.agents.values()) {
    if (agent.inbox.some(({ item }) => item.itemId === itemId)) return 'unread';
    if (agent.deadLetters.some((item) => item.itemId === itemId)) return 'unread';
  }
  return undefined;
}
