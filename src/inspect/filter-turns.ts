import type { RunContext } from '../core/state/run-context.ts';
import type { TurnState } from '../core/state/turn-state.ts';
import type { TurnType } from '../core/state/turn.ts';
import { allTurns, withBaton } from './turn/other-turns.ts';
import type { TurnStatus } from './turn/turn-record.ts';

/** Filter for turns. */
export interface TurnFilter {
  readonly agentId?: string;
  readonly status?: TurnStatus;
  /** Turn type, or `all`; agents' turns when absent. */
  readonly type?: TurnType | 'all';
}

/** Turn types a filter accepts. */
export const turnTypes = Object.keys({
  agent: true,
  user: true,
  dispatch: true,
  aggregation: true,
  restart: true,
  all: true,
} satisfies Record<TurnType | 'all', true>) as readonly (TurnType | 'all')[];

/** Returns the turns that match, in journal order, each with the turns of all types that led to it. */
export function filterTurns(run: RunContext, { agentId, status, type = 'agent' }: TurnFilter): readonly TurnState[] {
  const turns = type === 'agent' ? [...run.turns.values()] : allTurns(run);
  const wanted = turns.filter(
    (turn) =>
      (agentId === undefined || agentId === turn.agentId) &&
      (status === undefined || status === (turn.end?.status ?? 'running')) &&
      (type === 'all' || type === turn.start.turnType),
  );
  return wanted.map((turn) => withBaton(run, turn));
}
