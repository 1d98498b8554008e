import { type SubContext, toLimitStage } from '../state/sub-context.ts';
import { isAsking, isAwaitingPerson } from '../state/is-asking.ts';
import { noticeKey } from '../state/notice-key.ts';
import type { EventOf } from '../events/event.ts';
import { untrustedSources } from '../prompt/prompt-sources.ts';
import type { RunContext } from '../state/run-context.ts';
import { activeAt } from '../state/run-time.ts';
import { type AgentFolds, type Folds, agentOf } from './folds.ts';
import { countAgent, countLive } from './budget.ts';
import { newAgent, restartAgent } from './new-agent.ts';
import { passSources } from './sources.ts';

/** Fold of the start of an agent. */
export const startFolds: Folds<'agent.start'> = { 'agent.start': startAgent };

type LifeEvent = 'agent.release' | 'agent.await' | 'agent.restart' | 'agent.end' | 'limit.reach' | 'stagnation.act';

/** Folds of an agent's life cycle. Each counts the approvals and questions that come or go with it. */
export const agentFolds: AgentFolds<LifeEvent> = {
  'agent.release': (run, agent, event) => changePending(run, agent, () => releaseAgent(run, agent, event)),
  'agent.await': (run, agent, event) => changePending(run, agent, () => awaitInput(agent, event)),
  'agent.restart': (run, agent, event) => changePending(run, agent, () => startAgain(run, agent, event)),
  'agent.end': (run, agent, event) => changePending(run, agent, () => endAgent(run, agent, event)),
  'limit.reach': reachLimit,
  'stagnation.act': (run, agent, event) => changePending(run, agent, () => takeStep(agent, event)),
};

function changePending(run: RunContext, agent: SubContext, change: () => void): void {
  const asked = pendingOfAgent(agent);
  change();
  run.pending += pendingOfAgent(agent) - asked;
}

function awaitInput(agent: SubContext, event: EventOf<'agent.await'>): void {
  agent.status = 'awaiting_input';
  agent.inbox.awaitingOn = event.on;
  if (event.checkpoint === undefined) return;
  const { id: checkpoint, prompt, fingerprint } = event.checkpoint;
  agent.turn.question = { prompt, seq: event.seq, since: event.at, fingerprint, checkpoint };
}

function startAgain(run: RunContext, agent: SubContext, event: EventOf<'agent.restart'>): void {
  if (agent.status === 'ended') countLive(run, agent, { by: 1, at: event.at });
  restartAgent(run, agent, event);
  passSources(parentOf(run, agent), agent);
  noteParams(agent, parentOf(run, agent), event);
}

function reachLimit(run: RunContext, agent: SubContext, event: EventOf<'limit.reach'>): void {
  if (agent.limits.stage !== 'last_turn') agent.limits.stage = toLimitStage(event.stage);
  agent.limits.reason = event.reason;
  agent.limits.warned.push(noticeKey(event));
  if (event.stage === 2) agent.limits.limitedAt ??= activeAt(run, event.at);
}

/** Counts the approvals and questions of one agent. */
function pendingOfAgent(agent: SubContext): number {
  let pending = isAsking(agent) ? 1 : 0;
  for (const call of agent.calls.open.values()) if (isAwaitingPerson(call)) pending += 1;
  return pending;
}

function releaseAgent(run: RunContext, agent: SubContext, { at }: EventOf<'agent.release'>): void {
  if (agent.status === 'held') {
    run.held -= 1;
    countLive(run, agent, { by: 1, at });
  }
  agent.status = 'ready';
  agent.limits.workingSince = activeAt(run, at);
}

function endAgent(run: RunContext, agent: SubContext, event: EventOf<'agent.end'>): void {
  if (agent.status === 'held') run.held -= 1;
  else if (agent.status !== 'ended') countLive(run, agent, { by: -1, at: event.at });
  agent.status = 'ended';
  agent.result.outcome = event.outcome;
  agent.result.output = event.output;
  agent.deliverables = event.deliverables;
  agent.result.error = event.error;
  agent.result.unknown = event.unknown ?? none;
  passSources(agent, parentOf(run, agent));
  passSources(agent, agent.meta.notify === undefined ? undefined : run.agents.get(agent.meta.notify.agentId));
}

function parentOf(run: RunContext, agent: SubContext): SubContext | undefined {
  return agent.meta.parentAgentId === undefined ? undefined : run.agents.get(agent.meta.parentAgentId);
}

function startAgent(run: RunContext, event: EventOf<'agent.start'>): void {
  const parent = event.parentAgentId === undefined ? undefined : agentOf(run, event.parentAgentId);
  const agent = newAgent(run, event, parent);
  noteParams(agent, parent, event);
  run.agents.set(event.agentId, agent);
  run.latestOfType.set(event.profileType, event.agentId);
  run.counters.agents += 1;
  if (event.held === true) run.held += 1;
  if (parent === undefined) run.rootAgentId ??= event.agentId;
  else parent.children.push(event.agentId);
  countAgent(run, agent);
  if (event.held !== true) countLive(run, agent, { by: 1, at: event.at });
}

/** Records the untrusted sources of what an agent was given by its parent. */
function noteParams(agent: SubContext, parent: SubContext | undefined, { taint }: EventOf<'agent.start' | 'agent.restart'>): void {
  const before = agent.stateTaint.get('initial_params');
  const given = parent === undefined ? none : untrustedSources(parent.history.sources);
  const labels = [...new Set([...(before?.labels ?? none), ...(taint ?? none), ...given])];
  if (labels.length === 0) return;
  const isSaid = taint === undefined && (before === undefined || before.said === true);
  agent.stateTaint.set('initial_params', isSaid ? { labels, said: true } : { labels });
}

const none: readonly never[] = [];

function takeStep(agent: SubContext, event: EventOf<'stagnation.act'>): void {
  const { rung: id, on, threshold: at, llmConfig, tools, prompt, fingerprint } = event;
  agent.turn.escalationsBefore = [...agent.turn.escalationsBefore, event];
  agent.streaks.escalations = [...agent.streaks.escalations, llmConfig === undefined ? { id, on, at } : { id, on, at, llmConfig }];
  if (tools !== undefined) agent.turn.forbiddenTools = tools;
  if (prompt !== undefined && fingerprint !== undefined)
    agent.turn.question = { prompt, seq: event.seq, since: event.at, fingerprint };
}
