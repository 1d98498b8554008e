import { isAsking } from '../state/is-asking.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { AgentFolds } from './folds.ts';
import { carrySources, noteArrival, passSources } from './sources.ts';

/** Folds of an item before a turn reads it. */
export const inboxFolds: AgentFolds<'inbox.add' | 'inbox.fail' | 'inbox.drop'> = {
  'inbox.add': (run, agent, { item, seq }) => {
    agent.inbox.items.push({ item, seq, turnsSeen: 0, failures: 0 });
    run.counters.items += 1;
    noteArrival(run, item);
    if (item.from !== undefined) passSources(run.agents.get(item.from), agent);
    if (item.quotes !== undefined) for (const quoted of item.quotes) carrySources(run.agents.get(quoted), agent);
    if (item.delivery === 'now') interrupt(run, agent, seq);
    if (item.source === 'HUMAN_ANSWER') answerQuestion(run, agent);
  },
  'inbox.fail': (_, agent, { itemId }) => {
    const waiting = agent.inbox.items.find((candidate) => candidate.item.itemId === itemId);
    if (waiting !== undefined) waiting.failures += 1;
  },
  'inbox.drop': (_, agent, { itemId, reason }) => {
    const index = agent.inbox.items.findIndex((candidate) => candidate.item.itemId === itemId);
    const [dropped] = index < 0 ? [] : agent.inbox.items.splice(index, 1);
    if (dropped !== undefined && reason === 'dead_letter') agent.inbox.deadLetters.push(dropped.item);
  },
};

/** An answer ends the asking of its agent's question at once, even when the turn that reads it begins later. */
function answerQuestion(run: RunContext, agent: SubContext): void {
  const { question } = agent.turn;
  if (question === undefined || question.isAnswered === true) return;
  if (isAsking(agent)) run.pending -= 1;
  agent.turn.question = { ...question, isAnswered: true };
}

/** Marks the turn whose model has not answered as interrupted by an urgent item, unless it is the last turn before a limit. */
function interrupt(run: RunContext, agent: SubContext, seq: number): void {
  const turn = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  if (turn?.start.prompt === undefined || turn.modelEnd !== undefined || agent.limits.stage === 'last_turn') return;
  turn.interruptedBy ??= seq;
}
