import { isAsking, waitsForPerson } from '../state/asks-person.ts';
import { CadreError } from '../error.ts';
import type { EventOf } from '../events/event.ts';
import type { AgentId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { AgentCounters } from '../state/agent-counters.ts';
import type { SubContext, Beginning, RunContext } from '../state/state.ts';
import { newSourceMarks, untrustedSources } from '../prompt/prompt-sources.ts';
import { activeAt } from '../state/run-time.ts';
import { countAgent, countLive, newBudget } from './budget.ts';
import { wholeHistory } from './context.ts';
import { emptyUsage } from './run.ts';
import { passOn, restartSources } from './sources.ts';

type AgentEvent = EventOf<
  'agent.start' | 'agent.release' | 'agent.await' | 'agent.restart' | 'agent.end' | 'limit.reach' | 'stagnation.act'
>;

/** The agent of an id; a journal that speaks of an agent it never started is corrupt. */
export function agentOf(run: RunContext, agentId: AgentId): SubContext {
  const agent = run.agents.get(agentId);
  if (agent === undefined) {
    throw new CadreError(
      'STORE_CORRUPT',
      `run ${run.meta.runId}: event ${run.seq + 1} names agent ${agentId}, which was never started`,
    );
  }
  return agent;
}

/** Folds the events of an agent's life. */
export function applyAgentEvent(run: RunContext, event: AgentEvent): void {
  if (event.type === 'agent.start') {
    startAgent(run, event);
    return;
  }
  const agent = agentOf(run, event.agentId);
  const asked = pendingOfAgent(agent);
  changeAgent(run, agent, event);
  run.pending += pendingOfAgent(agent) - asked;
}

/** Approvals and questions of one agent. */
function pendingOfAgent(agent: SubContext): number {
  let pending = isAsking(agent) ? 1 : 0;
  for (const call of agent.openCalls.values()) if (waitsForPerson(call)) pending += 1;
  return pending;
}

function changeAgent(run: RunContext, agent: SubContext, event: Exclude<AgentEvent, EventOf<'agent.start'>>): void {
  switch (event.type) {
    case 'agent.release':
      if (agent.status === 'held') {
        run.held -= 1;
        countLive(run, agent, 1, event.at);
      }
      agent.status = 'ready';
      agent.workingSince = activeAt(run, event.at);
      break;
    case 'limit.reach':
      agent.limitStage = agent.limitStage === 2 ? 2 : event.stage;
      agent.limitReason = event.reason;
      agent.limitsTold.push(`${event.stage} ${event.scope} ${event.limit}`);
      if (event.stage === 2) agent.limitedAt ??= activeAt(run, event.at);
      break;
    case 'stagnation.act':
      climb(agent, event);
      break;
    case 'agent.await':
      agent.status = 'awaiting_input';
      agent.awaitingOn = event.on;
      if (event.checkpoint !== undefined) {
        const { id: checkpoint, prompt } = event.checkpoint;
        agent.question = { prompt, seq: event.seq, since: event.at, checkpoint };
      }
      break;
    case 'agent.restart':
      if (agent.status === 'ended') countLive(run, agent, 1, event.at);
      restartAgent(agent, event);
      passOn(parentOf(run, agent), agent);
      agent.workingSince = activeAt(run, event.at);
      break;
    case 'agent.end':
      if (agent.status === 'held') run.held -= 1;
      else if (agent.status !== 'ended') countLive(run, agent, -1, event.at);
      agent.status = 'ended';
      agent.outcome = event.outcome;
      agent.output = event.output;
      agent.deliverables = event.deliverables;
      agent.error = event.error;
      passOn(agent, parentOf(run, agent));
      passOn(agent, agent.meta.notify === undefined ? undefined : run.agents.get(agent.meta.notify.agentId));
      break;
  }
}

function parentOf(run: RunContext, agent: SubContext): SubContext | undefined {
  return agent.meta.parentAgentId === undefined ? undefined : run.agents.get(agent.meta.parentAgentId);
}

/** Handed out to conditions and tools as it is, so nobody may write to it. */
const nothing: JsonObject = Object.freeze({});

function startAgent(run: RunContext, event: EventOf<'agent.start'>): void {
  const parent = event.parentAgentId === undefined ? undefined : agentOf(run, event.parentAgentId);
  const agent: SubContext = {
    meta: {
      agentId: event.agentId,
      parentAgentId: event.parentAgentId,
      profile: event.profile,
      type: event.profileType,
      roleName: event.roleName,
      moduleId: event.moduleId,
      depth: event.depth,
      startedAt: event.at,
      seq: event.seq,
      callId: event.callId,
      notify: event.notify,
      allowedToolsets: event.allowedToolsets,
    },
    status: event.held === true ? 'held' : 'ready',
    messages: [],
    origins: [],
    wireIds: new Set(),
    released: 0,
    tokenTotals: [],
    tokensReleased: 0,
    counted: undefined,
    view: wholeHistory,
    fixedTokens: 0,
    compacting: undefined,
    compactions: 0,
    madeRoom: false,
    archived: [],
    inbox: [],
    deadLetters: [],
    flags: nothing,
    values: nothing,
    deliverables: nothing,
    currentAction: null,
    initialParams: event.initialParams,
    counters: newCounters(),
    usage: emptyUsage(),
    budget: newBudget(),
    moduleScope: event.moduleId ?? parent?.moduleScope,
    moduleLead: event.moduleId === undefined ? parent?.moduleLead : event.parentAgentId,
    iteration: 1,
    beginnings: [toBeginning(event)],
    flowId: event.flowId,
    turnCount: 0,
    currentTurnId: undefined,
    lastTurnId: event.lastTurnId,
    lastReply: '',
    signatures: [],
    cycleMatches: [],
    escalations: none,
    forbiddenTools: none,
    toolBound: undefined,
    question: undefined,
    turnsAlone: 0,
    changesBeforeTurn: [],
    escalationsBeforeTurn: none,
    loop: false,
    awaitingOn: undefined,
    openCalls: new Map(),
    outputRepairs: 0,
    brokenReplies: 0,
    nextToolChoice: undefined,
    limitStage: 0,
    limitReason: undefined,
    limitsTold: [],
    limitedAt: undefined,
    workingSince: event.held === true ? undefined : activeAt(run, event.at),
    outcome: undefined,
    output: '',
    error: undefined,
    children: [],
    toolCallsTotal: 0,
    stateTaint: new Map(),
    sources: newSourceMarks(parent === undefined ? undefined : untrustedSources(parent.sources)),
  };
  run.agents.set(event.agentId, agent);
  run.latestOfType.set(event.profileType, event.agentId);
  run.counters.agents += 1;
  if (event.held === true) run.held += 1;
  if (parent === undefined) run.rootAgentId ??= event.agentId;
  else parent.children.push(event.agentId);
  countAgent(run, agent);
  if (event.held !== true) countLive(run, agent, 1, event.at);
}

const none: readonly never[] = [];

function toBeginning({ seq, at, callId }: EventOf<'agent.start' | 'agent.restart'>): Beginning {
  return { seq, at, callId };
}

function climb(agent: SubContext, event: EventOf<'stagnation.act'>): void {
  const { rung: id, on, threshold: at, llmConfig, tools, prompt } = event;
  agent.escalationsBeforeTurn = [...agent.escalationsBeforeTurn, event];
  agent.escalations = [...agent.escalations, llmConfig === undefined ? { id, on, at } : { id, on, at, llmConfig }];
  if (tools !== undefined) agent.forbiddenTools = tools;
  if (prompt !== undefined) agent.question = { prompt, seq: event.seq, since: event.at };
}

/** Counters of an agent that has done nothing yet. */
function newCounters(): AgentCounters {
  return {
    turnCount: 0,
    noToolCallStreak: 0,
    sameActionSameResultStreak: 0,
    duplicateReplyStreak: 0,
    emptyReplyStreak: 0,
    toolErrorStreak: 0,
    modelErrorStreak: 0,
    toolCallCount: 0,
    tokensUsed: 0,
  };
}

function restartAgent(agent: SubContext, event: EventOf<'agent.restart'>): void {
  // What it goes on with is its history; what it hands in is new.
  if (event.keepsHistory === true) agent.deliverables = nothing;
  else archiveHistory(agent);
  agent.meta = { ...agent.meta, callId: event.callId };
  agent.madeRoom = false;
  agent.awaitingOn = undefined;
  agent.iteration = event.iteration;
  agent.beginnings = [...agent.beginnings, toBeginning(event)];
  agent.loop = false;
  agent.initialParams = event.initialParams;
  agent.status = 'ready';
  agent.currentAction = null;
  agent.lastReply = '';
  agent.outcome = undefined;
  agent.output = '';
  agent.error = undefined;
  agent.limitStage = 0;
  agent.budget.tokens = 0;
  agent.budget.cost = 0;
  agent.limitReason = undefined;
  agent.limitsTold.length = 0;
  agent.limitedAt = undefined;
  agent.signatures.length = 0;
  agent.cycleMatches.length = 0;
  agent.escalations = none;
  agent.forbiddenTools = none;
  agent.brokenReplies = 0;
  agent.question = undefined;
  agent.turnsAlone = 0;
  agent.openCalls.clear();
  Object.assign(agent.counters, newCounters());
}

/** Puts what an agent has seen and said out of its sight. */
function archiveHistory(agent: SubContext): void {
  const { iteration, messages, origins, released } = agent;
  agent.archived.push({ iteration, messages, origins, released });
  agent.messages = [];
  agent.origins = [];
  agent.wireIds.clear();
  agent.released = 0;
  agent.tokenTotals = [];
  agent.tokensReleased = 0;
  agent.counted = undefined;
  agent.view = wholeHistory;
  agent.fixedTokens = 0;
  restartSources(agent);
}
