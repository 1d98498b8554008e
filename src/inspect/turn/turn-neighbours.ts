import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnId } from '../../core/ids.ts';

/** The turns around one, by time of start. */
export interface TurnNeighbours {
  readonly ofAgent: Neighbours;
  readonly ofRun: Neighbours;
  /** Turns it led to. */
  readonly led: readonly TurnId[];
}

interface Neighbours {
  readonly previous?: TurnId;
  readonly next?: TurnId;
  /** Position, from 1. */
  readonly place: number;
  readonly count: number;
}

/** Finds the turns before and after a turn: of its agent, and of the run. */
export function turnNeighbours(run: RunContext, turnId: string): TurnNeighbours {
  const own = run.turns.get(turnId as TurnId)?.agentId;
  const all: TurnId[] = [];
  const ofAgent: TurnId[] = [];
  const led: TurnId[] = [];
  for (const turn of run.turns.values()) {
    all.push(turn.turnId);
    if (turn.agentId === own) ofAgent.push(turn.turnId);
    if (turn.start.sourceTurnIds.includes(turnId as TurnId)) led.push(turn.turnId);
  }
  return { ofAgent: around(ofAgent, turnId), ofRun: around(all, turnId), led };
}

function around(turns: readonly TurnId[], turnId: string): Neighbours {
  const index = turns.indexOf(turnId as TurnId);
  const previous = turns[index - 1];
  const next = index < 0 ? undefined : turns[index + 1];
  return {
    ...(previous === undefined ? {} : { previous }),
    ...(next === undefined ? {} : { next }),
    place: index + 1,
    count: turns.length,
  };
}
