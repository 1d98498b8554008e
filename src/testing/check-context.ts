import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

interface Agent {
  compacting: EventOf<'compaction.start'> | undefined;
  from: number;
  inTurn: boolean;
}

/**
 * Checks the history that prompts show: a view never moves back, each compaction ends once with no turn inside it, and a prompt
 * begins where the last trim or summary said.
 */
export function checkContext(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const found = new Findings();
  const agents = new Map<string, Agent>();
  for (const event of events) {
    found.at(event);
    if (event.type === 'run.end') {
      const open = [...agents.values()].flatMap(({ compacting }) => compacting?.compactionId ?? []);
      found.expect(open.length === 0, 'I9', `the run ends while ${open.join(', ')} is under way`);
    }
    if (event.type === 'agent.start' || (event.type === 'agent.restart' && event.keepsHistory !== true))
      agents.set(event.agentId, { compacting: undefined, from: 0, inTurn: false });
    const agent = 'agentId' in event && event.agentId !== undefined ? agents.get(event.agentId) : undefined;
    if (agent !== undefined) follow(found, agent, event);
  }
  return found.problems;
}

function follow(found: Findings, agent: Agent, event: CadreEvent): void {
  switch (event.type) {
    case 'context.trim':
      found.expect(
        event.reason === 'nothing_kept' ? event.to === agent.from : event.to > agent.from,
        'life',
        `the view goes from ${agent.from} to ${event.to}`,
      );
      found.expect(agent.compacting === undefined, 'life', 'the view moves within a compaction');
      agent.from = event.to;
      break;
    case 'compaction.start':
      found.expect(agent.compacting === undefined && !agent.inTurn, 'life', `${event.compactionId} is not due`);
      found.expect(event.from === agent.from && event.to > event.from, 'life', `${event.compactionId} is not of the view`);
      agent.compacting = event;
      break;
    case 'compaction.end':
      found.expect(
        agent.compacting?.compactionId === event.compactionId,
        'life',
        `${event.compactionId} ends, but is not under way`,
      );
      found.expect(
        (event.head === undefined) !== (event.error === undefined),
        'life',
        `${event.compactionId} has neither or both of summary and error`,
      );
      if (event.head !== undefined) agent.from = event.to;
      agent.compacting = undefined;
      break;
    case 'turn.start':
      found.expect(agent.compacting === undefined, 'I6', `${event.turnId} starts within ${agent.compacting?.compactionId ?? ''}`);
      if (event.prompt !== undefined)
        found.expect(event.prompt.from === agent.from, 'life', `the prompt begins at ${event.prompt.from}, not ${agent.from}`);
      agent.inTurn = true;
      break;
    case 'turn.end':
      agent.inTurn = false;
      break;
    default:
  }
}
