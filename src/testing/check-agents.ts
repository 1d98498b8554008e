import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { type ModuleChange, moduleChanges } from '../core/patches/module-changes.ts';
import { type ModuleStatus, reachableStatuses } from '../core/team/work-module.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

interface Agent {
  readonly start: EventOf<'agent.start'>;
  status: 'held' | 'live' | 'ended';
}

/** Events that only a live agent causes. */
const needsLiveAgent: ReadonlySet<string> = new Set([
  'turn.start',
  'model.end',
  'turn.decide',
  'tool.request',
  'tool.start',
  'tool.suspend',
  'agent.await',
  'context.trim',
  'compaction.start',
]);

/** Checks I9, the life of agents, the run's status, and the moves of work modules. */
export function checkAgents(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const found = new Findings();
  const agents = new Map<string, Agent>();
  const waiting = new Set<string>();
  const modules = new Map<string, ModuleStatus>();
  const running = new Set<string>();
  const caps = new Caps(found);
  for (const event of events) {
    found.at(event);
    trackWork(event, running);
    caps.look(event);
    const agentId = 'agentId' in event ? event.agentId : undefined;
    const agent = agentId === undefined ? undefined : agents.get(agentId);
    if (agentId !== undefined && event.type !== 'agent.start') {
      found.expect(agent !== undefined, 'order', `${event.type} of ${agentId}, which never started`);
      if (needsLiveAgent.has(event.type))
        found.expect(agent?.status === 'live', 'I9', `${event.type} of ${agentId}, which is ${agent?.status ?? 'unknown'}`);
    }
    switch (event.type) {
      case 'agent.start':
        startAgent(found, event, agents);
        break;
      case 'agent.release':
        found.expect(agent?.status === 'held', 'life', `${event.agentId} is released, but was not held`);
        if (agent !== undefined) agent.status = 'live';
        break;
      case 'agent.restart':
        restartAgent(found, event, { agent, isWaiting: waiting.delete(event.agentId) });
        break;
      case 'agent.await':
        waiting.add(event.agentId);
        break;
      case 'turn.start':
        waiting.delete(event.agentId);
        break;
      case 'agent.end':
        endAgent(found, event, agents);
        break;
      case 'run.status':
        found.expect(
          running.size > 0 === (event.status === 'running'),
          'I8',
          `the run is ${event.status} while ${[...running].join(', ') || 'nothing'} runs`,
        );
        break;
      case 'run.end':
        found.expect([...agents.values()].every(isEnded), 'I9', 'the run ends before its agents');
        break;
      case 'state.patch':
      case 'module.update':
        for (const change of moduleChanges(event)) moveModule(found, change, modules);
        break;
      default:
    }
  }
  return found.problems;
}

/** Agents at work, and agents started in all, stay within the limits that the run started with. */
class Caps {
  readonly #found: Findings;
  readonly #working = new Set<string>();
  #started = 0;
  #limits: { readonly maxLive?: number; readonly maxTotal?: number } = {};

  constructor(found: Findings) {
    this.#found = found;
  }

  look(event: CadreEvent): void {
    switch (event.type) {
      case 'run.start':
        this.#limits = event.limits;
        return;
      case 'agent.end':
        this.#working.delete(event.agentId);
        return;
      case 'agent.start':
        this.#started += 1;
        if (event.held !== true) this.#working.add(event.agentId);
        break;
      case 'agent.release':
      case 'agent.restart':
        this.#working.add(event.agentId);
        break;
      default:
        return;
    }
    const { maxLive, maxTotal } = this.#limits;
    this.#found.expect(
      this.#working.size <= (maxLive ?? Number.POSITIVE_INFINITY),
      'limits',
      `${this.#working.size} agents are at work, and ${maxLive ?? 0} may be`,
    );
    this.#found.expect(
      this.#started <= (maxTotal ?? Number.POSITIVE_INFINITY),
      'limits',
      `${this.#started} agents were started, and ${maxTotal ?? 0} may be`,
    );
  }
}

/** Tracks effects: a model call between `turn.start` and its answer, a tool between start and end. */
function trackWork(event: CadreEvent, running: Set<string>): void {
  if (event.type === 'turn.start' && event.prompt !== undefined) running.add(event.turnId);
  else if (event.type === 'tool.start') running.add(event.callId);
  else if (event.type === 'model.end' || event.type === 'turn.end') running.delete(event.turnId);
  else if (event.type === 'tool.end' || event.type === 'tool.suspend') running.delete(event.callId);
  else if (event.type === 'compaction.start') running.add(event.compactionId);
  else if (event.type === 'compaction.end') running.delete(event.compactionId);
}

function startAgent(found: Findings, event: EventOf<'agent.start'>, agents: Map<string, Agent>): void {
  const { agentId, parentAgentId: parent } = event;
  found.expect(!agents.has(agentId), 'life', `agent ${agentId} starts a second time`);
  const isParentLive = parent === undefined || agents.get(parent)?.status === 'live';
  found.expect(isParentLive, 'I9', `${agentId} starts below ${parent ?? ''}, which is not live`);
  agents.set(agentId, { start: event, status: event.held === true ? 'held' : 'live' });
}

function restartAgent(
  found: Findings,
  { agentId, keepsHistory }: EventOf<'agent.restart'>,
  { agent, isWaiting }: { readonly agent: Agent | undefined; readonly isWaiting: boolean },
): void {
  const mayRestart = agent?.status === 'ended' || (keepsHistory === true && isWaiting);
  found.expect(mayRestart, 'life', `${agentId} restarts, but had not ended`);
  if (agent !== undefined) agent.status = 'live';
}

function endAgent(found: Findings, event: EventOf<'agent.end'>, agents: ReadonlyMap<string, Agent>): void {
  const agent = agents.get(event.agentId);
  found.expect(agent?.status !== 'ended', 'life', `agent ${event.agentId} ends a second time`);
  if (agent !== undefined) agent.status = 'ended';
  for (const { start, status } of agents.values()) {
    if (start.parentAgentId === event.agentId)
      found.expect(status === 'ended', 'I9', `${event.agentId} ends while ${start.agentId} below it goes on`);
  }
}

function moveModule(found: Findings, { moduleId, fields: { status: to } }: ModuleChange, modules: Map<string, ModuleStatus>): void {
  const from = modules.get(moduleId);
  if (to === undefined) return;
  if (from !== undefined) {
    // One event may combine several moves of one call.
    const allowed = [...reachableStatuses(from, 'planner'), ...reachableStatuses(from, 'dispatch')];
    found.expect(allowed.includes(to), 'team', `module ${moduleId} goes from ${from} to ${to}`);
  }
  modules.set(moduleId, to);
}

function isEnded({ status }: Agent): boolean {
  return status === 'ended';
}
