import type { EventOf } from '../events/event.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import { agentOf } from './agent.ts';
import { carrySources, passSources } from './sources.ts';

/** Folds an event of an item before a turn reads it. */
export function applyInboxEvent(run: RunContext, event: EventOf<'inbox.add' | 'inbox.fail' | 'inbox.drop'>): void {
  const agent = agentOf(run, event.agentId);
  switch (event.type) {
    case 'inbox.add':
      agent.inbox.items.push({ item: event.item, seq: event.seq, turnsSeen: 0, failures: 0 });
      run.counters.items += 1;
      if (event.item.from !== undefined) passSources(run.agents.get(event.item.from), agent);
      for (const quoted of event.item.quotes ?? []) carrySources(run.agents.get(quoted), agent);
      if (event.item.delivery === 'now') interrupt(run, agent, event.seq);
      break;
    case 'inbox.fail': {
      const waiting = agent.inbox.items.find((candidate) => candidate.item.itemId === event.itemId);
      if (waiting !== undefined) waiting.failures += 1;
      break;
    }
    case 'inbox.drop': {
      const index = agent.inbox.items.findIndex((candidate) => candidate.item.itemId === event.itemId);
      const [dropped] = index < 0 ? [] : agent.inbox.items.splice(index, 1);
      if (dropped !== undefined && event.reason === 'dead_letter') agent.inbox.deadLetters.push(dropped.item);
      break;
    }
  }
}

/** Marks the turn whose model has not answered as interrupted by an urgent item, unless it is the last turn before a limit. */
function interrupt(run: RunContext, agent: SubContext, seq: number): void {
  const turn = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  if (turn?.start.prompt === undefined || turn.modelEnd !== undefined || agent.limits.stage === 'last_turn') return;
  turn.interruptedBy ??= seq;
}
