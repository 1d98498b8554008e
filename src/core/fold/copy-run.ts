import type { AgentId } from '../ids.ts';
import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { CallState, TurnState } from '../state/turn-state.ts';

/** A state to try one decision about one agent on. */
export interface BorrowedRun {
  readonly run: RunContext;
  /** Ends the trial: the original has its history back. The borrowed state stays usable when it is to be kept. */
  giveBack(isKept: boolean): void;
}

/**
 * Copies a run's state, so that a decision about one agent can be tried without changing the original.
 *
 * 1. It copies everything that the fold changes in place. Messages, events, items and values never change, and both states share them; so do
 *    agents that ended and turns that are over, which only a restart changes.
 * 2. Histories grow with the run, and are not copied: the trial appends to the agent's own, until `giveBack` takes that off again. Until then
 *    the original must not be used. The trial releases no part of the past.
 */
export function borrowRun(run: RunContext, agentId: AgentId): BorrowedRun {
  const copy = copyRun(run);
  const lent = run.agents.get(agentId);
  if (lent === undefined) return { run: copy, giveBack: () => undefined };
  const before = tailsOf(lent);
  return {
    run: copy,
    giveBack: (isKept) => {
      if (isKept) for (const agent of copy.agents.values()) detach(agent);
      for (const { list, length, tail } of before) {
        list.length = length - tail.length;
        list.push(...tail);
      }
    },
  };
}

/** Gives an agent of a state that is kept a history that only this state has: the events that follow reach every agent. */
function detach({ status, history, context }: SubContext): void {
  if (status === 'ended') return;
  history.messages = [...history.messages];
  history.origins = [...history.origins];
  context.tokenTotals = [...context.tokenTotals];
}

/** Most messages that a decision may take off the end of a history and replace. */
const mostReplaced = 2;

interface Tail {
  readonly list: unknown[];
  readonly length: number;
  readonly tail: readonly unknown[];
}

function tailsOf({ history: { messages, origins }, context: { tokenTotals } }: SubContext): readonly Tail[] {
  return [messages, origins, tokenTotals].map((list) => ({ list, length: list.length, tail: list.slice(-mostReplaced) }));
}

function copyRun(run: RunContext): RunContext {
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
    keeps: 'everything',
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
    running: new Map(run.running),
    usage: { ...run.usage },
    budget: { ...run.budget },
    moduleBudgets: new Map([...run.moduleBudgets].map(([id, budget]) => [id, { ...budget }])),
    chargedCalls: new Map(run.chargedCalls),
    counters: { ...run.counters },
    resumes: [...run.resumes],
    outside: new Set(run.outside),
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
      archived: [...history.archived],
      sources: { ...history.sources, marks: new Map(history.sources.marks) },
    },
    context: { ...context },
    turn: { ...turn, changesBefore: [...turn.changesBefore] },
    calls: { ...agent.calls, open: new Map([...agent.calls.open].map(([id, call]) => [id, copyCall(call, calls)])) },
    counters: { ...agent.counters },
    streaks: { ...streaks, signatures: [...streaks.signatures], cycleMatches: [...streaks.cycleMatches] },
    limits: { ...limits, warned: [...limits.warned], usage: { ...limits.usage }, budget: { ...limits.budget } },
    result: { ...agent.result },
    stateTaint: new Map(agent.stateTaint),
  };
}
