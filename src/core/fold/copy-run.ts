import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { CallState, TurnState } from '../state/turn-state.ts';

/**
 * Copies a run's state, so that a decision about one agent can be tried without changing the original.
 *
 * Copies everything that the fold changes in place; messages, events, items and values never change, and both states share them. Agents that
 * ended and turns that are over are shared, too: only a restart changes them, which no turn of another agent decides. Costs the containers
 * of the live agents, not the size of their texts.
 */
export function copyRun(run: RunContext): RunContext {
  const turns = new Map(run.turns);
  const agents = new Map(run.agents);
  for (const [agentId, agent] of agents) {
    if (agent.status === 'ended') continue;
    const calls = new Map<CallState, CallState>();
    const { currentId } = agent.turn;
    const turn = currentId === undefined ? undefined : turns.get(currentId);
    if (turn !== undefined) turns.set(turn.turnId, copyTurn(turn, calls));
    agents.set(agentId, copyAgent(agent, calls));
  }
  const { team } = run;
  return {
    ...run,
    team: {
      ...team,
      workModules: { ...team.workModules },
      dispatchHistory: [...team.dispatchHistory],
      dispatchIndex: new Map(team.dispatchIndex),
      dispatchOfAgent: new Map(team.dispatchOfAgent),
      taint: new Map(team.taint),
    },
    agents,
    turns,
    latestOfType: new Map(run.latestOfType),
    usage: { ...run.usage },
    budget: { ...run.budget },
    moduleBudgets: new Map([...run.moduleBudgets].map(([id, budget]) => [id, { ...budget }])),
    counters: { ...run.counters },
    resumes: [...run.resumes],
  };
}

/** An open call is in its turn and in its agent: `calls` keeps that both copies have the same one. */
function copyTurn(turn: TurnState, calls: Map<CallState, CallState>): TurnState {
  const { stateChanges } = turn;
  return {
    ...turn,
    calls: turn.calls.map((call) => copyCall(call, calls)),
    stateChanges: stateChanges === undefined ? undefined : [...stateChanges],
  };
}

function copyCall(call: CallState, calls: Map<CallState, CallState>): CallState {
  const copy = calls.get(call) ?? { ...call };
  calls.set(call, copy);
  return copy;
}

function copyAgent(agent: SubContext, calls: Map<CallState, CallState>): SubContext {
  const { work, inbox, history, context, turn, streaks, limits } = agent;
  return {
    ...agent,
    children: [...agent.children],
    work: { ...work },
    inbox: { ...inbox, items: inbox.items.map((waiting) => ({ ...waiting })), deadLetters: [...inbox.deadLetters] },
    history: {
      ...history,
      messages: [...history.messages],
      origins: [...history.origins],
      wireIds: new Set(history.wireIds),
      archived: [...history.archived],
      sources: { ...history.sources, marks: new Map(history.sources.marks) },
    },
    context: { ...context, tokenTotals: [...context.tokenTotals] },
    turn: { ...turn, changesBefore: [...turn.changesBefore] },
    calls: { ...agent.calls, open: new Map([...agent.calls.open].map(([id, call]) => [id, copyCall(call, calls)])) },
    counters: { ...agent.counters },
    streaks: { ...streaks, signatures: [...streaks.signatures], cycleMatches: [...streaks.cycleMatches] },
    limits: { ...limits, warned: [...limits.warned], usage: { ...limits.usage }, budget: { ...limits.budget } },
    result: { ...agent.result },
    stateTaint: new Map(agent.stateTaint),
  };
}
