import type { EventOf } from '../event.ts';
import type { RunState } from '../state.ts';
import { agentOf } from './agent.ts';

/** Folds what happens to items before a turn reads them. */
export function applyInboxEvent(run: RunState, event: EventOf<'inbox.add' | 'inbox.fail' | 'inbox.drop'>): void {
  const agent = agentOf(run, event.agentId);
  switch (event.type) {
    case 'inbox.add':
      agent.inbox.push({ item: event.item, seq: event.seq, turnsSeen: 0, failures: 0 });
      run.counters.items += 1;
      break;
    case 'inbox.fail': {
      const waiting = agent.inbox.find((candidate) => candidate.item.itemId === event.itemId);
      if (waiting !== undefined) waiting.failures += 1;
      break;
    }
    case 'inbox.drop': {
      const index = agent.inbox.findIndex((candidate) => candidate.item.itemId === event.itemId);
      const [dropped] = index < 0 ? [] : agent.inbox.splice(index, 1);
      if (dropped !== undefined && event.reason === 'dead_letter') agent.deadLetters.push(dropped.item);
      break;
    }
  }
}
