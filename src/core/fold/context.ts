import type { EventOf } from '../events/event.ts';
import { type ContextView, isForRoom } from '../state/agent-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import { reserve, spendOnSummary } from './budget.ts';
import { countRest, countUnanswered } from './charge.ts';
import type { AgentFolds } from './folds.ts';
import { carryReplacedSources } from './sources.ts';

/** View of an agent whose prompts show the whole history. */
export const wholeHistory: ContextView = Object.freeze({
  from: 0,
  head: undefined,
  headTokens: 0,
  headSeq: undefined,
  isSummary: false,
});

/** Folds of the part of its history that an agent's prompts show. Messages themselves never change (I11). */
export const contextFolds: AgentFolds<'context.trim' | 'compaction.start' | 'compaction.end'> = {
  'context.trim': (_, agent, event) => {
    if (event.head !== undefined && event.head !== agent.context.view.head) carryReplacedSources(agent, 'quotable');
    agent.context.view = trimmed(agent.context.view, event);
    if (event.reason === 'refused') retryTurn(agent);
  },
  'compaction.start': (run, agent, event) => {
    agent.context.compacting = event;
    agent.context.compactions += 1;
    run.activity += 1;
    reserve(run, agent, event.reserve);
    if (event.reason === 'refused') retryTurn(agent);
  },
  'compaction.end': endCompaction,
};

function endCompaction(run: RunContext, agent: SubContext, event: EventOf<'compaction.end'>): void {
  const { compacting: start, view } = agent.context;
  run.activity -= 1;
  agent.counters.tokensUsed +=
    event.estimate === undefined
      ? spendOnSummary(run, agent, { event, rest: countRest(run, agent, event.compactionId, event) })
      : countUnanswered(run, agent, event.compactionId, event.estimate);
  agent.context.compacting = undefined;
  if (event.head === undefined) {
    if (start !== undefined && !isForRoom(start.reason)) agent.context.view = { ...view, tried: event.to };
    return;
  }
  carryReplacedSources(agent, 'all');
  const summary = { from: event.to, head: event.head, headTokens: event.headTokens ?? 0, headSeq: event.seq, isSummary: true };
  agent.context.view = start?.separate === true ? appendSummary(view, summary) : summary;
}

/** Appends a summary to the existing ones. */
function appendSummary({ earlier = [], head, headSeq, headTokens }: ContextView, summary: ContextView): ContextView {
  if (head === undefined) return summary;
  const last = headSeq === undefined ? { head } : { head, headSeq };
  return { ...summary, headTokens: headTokens + summary.headTokens, earlier: [...earlier, last] };
}

/** Keeps a summary in front when messages after it are left out; replaces any other text. */
function trimmed(view: ContextView, event: EventOf<'context.trim'>): ContextView {
  if (event.head !== undefined && event.head === view.head) return { ...view, from: event.to };
  const headSeq = event.head === undefined ? undefined : event.seq;
  return { from: event.to, head: event.head, headTokens: event.headTokens ?? 0, headSeq, isSummary: false };
}

/** Repeats the turn whose prompt was refused, once. */
function retryTurn(agent: SubContext): void {
  agent.turn.loop = true;
  agent.context.madeRoom = true;
}
