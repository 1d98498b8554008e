import type { CadreEvent } from '../core/events/event.ts';
import type { InboxItem } from '../core/inbox/inbox.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

interface Agent {
  status: 'held' | 'ready' | 'busy' | 'awaiting' | 'ended';
  on: readonly string[] | undefined;
  /** Items that no turn has read yet. */
  readonly unread: Map<string, InboxItem>;
  hasLoop: boolean;
}

/** Items that inform a waiting agent without waking it. */
const passive: ReadonlySet<string> = new Set([
  'TOOL_RESULT',
  'OBSERVER_FAILURE',
  'LIMIT_NOTICE',
  'STAGNATION_NOTICE',
  'TOOLS_CHANGED',
  'PROFILES_UPDATED_NOTIFICATION',
  'WORK_MODULES_EDITED',
]);

/**
 * Checks I6 at the end of a journal: no agent that could take a turn has something to read. Only for journals of settled runs: in a
 * run that was cut short an agent may be about to begin.
 */
export function checkQuiet(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const agents = new Map<string, Agent>();
  for (const event of events) {
    const agent = 'agentId' in event && event.agentId !== undefined ? agents.get(event.agentId) : undefined;
    if (event.type === 'agent.start')
      agents.set(event.agentId, {
        status: event.held === true ? 'held' : 'ready',
        on: undefined,
        unread: new Map(),
        hasLoop: false,
      });
    else if (agent !== undefined) follow(agent, event);
  }
  const found = new Findings();
  const last = events.at(-1);
  if (last === undefined || events.some(({ type }) => type === 'run.end')) return [];
  found.at(last);
  for (const [agentId, agent] of agents) {
    const waking = [...agent.unread.values()].filter(
      ({ source, delivery }) => delivery === 'now' || (agent.on === undefined ? !passive.has(source) : agent.on.includes(source)),
    );
    if (agent.status === 'awaiting')
      found.expect(
        waking.length === 0,
        'I6',
        `${agentId} sleeps on ${waking.map(({ itemId, source }) => `${itemId} (${source})`).join(', ')}`,
      );
    if (agent.status === 'ready')
      found.expect(agent.unread.size === 0 && !agent.hasLoop, 'I6', `${agentId} is ready, has something to do, and does nothing`);
  }
  return found.problems;
}

function follow(agent: Agent, event: CadreEvent): void {
  switch (event.type) {
    case 'inbox.add':
      agent.unread.set(event.item.itemId, event.item);
      break;
    case 'inbox.drop':
      agent.unread.delete(event.itemId);
      break;
    case 'turn.start':
      for (const { itemId } of event.inputs) agent.unread.delete(itemId);
      agent.status = 'busy';
      agent.on = undefined;
      agent.hasLoop = false;
      break;
    case 'context.trim':
    case 'compaction.start':
      // A turn whose prompt was rejected as too long is retried.
      if (event.reason === 'refused') agent.hasLoop = true;
      break;
    case 'turn.decide':
      agent.hasLoop =
        event.action.type === 'loop_with_inbox_item' ||
        event.action.type === 'retry_turn' ||
        event.action.type === 'set_tool_choice';
      break;
    case 'turn.end':
      if (agent.status !== 'ended') agent.status = 'ready';
      break;
    case 'agent.release':
    case 'agent.restart':
      agent.status = 'ready';
      break;
    case 'agent.await':
      agent.status = 'awaiting';
      agent.on = event.on;
      break;
    case 'agent.end':
      agent.status = 'ended';
      break;
    default:
  }
}
