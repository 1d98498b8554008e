import type { MessageOrigin } from '../../core/prompt/message.ts';
import type { StoredHistory } from '../../core/prompt/prompt.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';

/** A stored history: `origins[i]` says where `messages[i]` came from. */
export interface History extends StoredHistory {
  readonly origins: readonly MessageOrigin[];
}

const noHistory: History = { messages: [], origins: [], released: 0 };

/**
 * Returns the history a turn's prompt refers to. A restarted agent has one per iteration; a turn belongs to the latest whose first
 * message is not newer than the turn.
 */
export function historyOfTurn(run: RunContext, turn: TurnState): History {
  const agent = run.agents.get(turn.agentId);
  if (agent === undefined) return noHistory;
  if (agent.history.archived.length === 0) return agent.history;
  for (const history of [agent.history, ...agent.history.archived.toReversed()]) {
    const first = history.origins[0];
    const firstTurn = first === undefined ? undefined : run.turns.get(first.turnId);
    if (firstTurn !== undefined && firstTurn.start.seq <= turn.start.seq) return history;
  }
  return agent.history.archived[0] ?? agent.history;
}
