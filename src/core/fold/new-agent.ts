import type { AgentContext } from '../state/agent-context.ts';
import type { EventOf } from '../events/event.ts';
import type { JsonObject } from '../json.ts';
import { newSourceMarks, untrustedSources } from '../prompt/prompt-sources.ts';
import type { RunContext } from '../state/run-context.ts';
import { activeAt } from '../state/run-time.ts';
import type {
  AgentCounters,
  AgentHistory,
  AgentTurn,
  AgentWork,
  Beginning,
  SubContext,
  SubContextMeta,
} from '../state/sub-context.ts';
import { newBudget } from './budget.ts';
import { wholeHistory } from './context.ts';
import { emptyUsage } from './usage.ts';

/** What differs between agents that have done nothing yet. */
interface Birth {
  readonly meta: SubContextMeta;
  readonly isHeld: boolean;
  readonly work: AgentWork;
  readonly flowId: string;
  /** The turn before its first one. */
  readonly lastTurnId: AgentTurn['lastId'];
  readonly initialParams: JsonObject;
  /** Untrusted sources that its task may quote. */
  readonly carried: readonly string[] | undefined;
  /** Start of its work, in working time of the run; undefined while it is held. */
  readonly workingSince: number | undefined;
}

/** Returns the state of an agent that an `agent.start` begins. */
export function newAgent(run: RunContext, event: EventOf<'agent.start'>, parent: SubContext | undefined): SubContext {
  const isHeld = event.held === true;
  return unbegun({
    meta: newMeta(event),
    isHeld,
    work: {
      iteration: 1,
      beginnings: [toBeginning(event)],
      moduleScope: event.moduleId ?? parent?.work.moduleScope,
      moduleLead: event.moduleId === undefined ? parent?.work.moduleLead : event.parentAgentId,
    },
    flowId: event.flowId,
    lastTurnId: event.lastTurnId,
    initialParams: event.initialParams,
    carried: parent === undefined ? undefined : untrustedSources(parent.history.sources),
    workingSince: isHeld ? undefined : activeAt(run, event.at),
  });
}

/**
 * Gives an agent another task: its state becomes that of a new agent, except for what is listed here, its flags and values with their taint, and
 * its children. A field that is added to a group of the state is therefore reset, unless it is listed.
 */
export function restartAgent(run: RunContext, agent: SubContext, event: EventOf<'agent.restart'>): void {
  const { meta, work, inbox, history, context, turn, calls, limits } = agent;
  const keepsHistory = event.keepsHistory === true;
  const fresh = unbegun({
    meta: { ...meta, callId: event.callId },
    isHeld: false,
    work: { ...work, iteration: event.iteration, beginnings: [...work.beginnings, toBeginning(event)] },
    flowId: turn.flowId,
    lastTurnId: turn.lastId,
    initialParams: event.initialParams,
    // Its old history leaves its view, but its new task may quote it.
    carried: untrustedSources(history.sources),
    workingSince: activeAt(run, event.at),
  });
  const { status, deliverables, initialParams } = fresh;
  Object.assign(agent, {
    meta: fresh.meta,
    status,
    initialParams,
    // One that keeps its history must hand in new deliverables.
    deliverables: keepsHistory ? deliverables : agent.deliverables,
  });
  adopt(agent, {
    ...fresh,
    inbox: { ...fresh.inbox, items: inbox.items, deadLetters: inbox.deadLetters },
    history: keepsHistory ? history : archived(history, fresh.history, work.iteration),
    context: keepsHistory ? sameContext(context, fresh.context) : { ...fresh.context, compactions: context.compactions },
    // Turns are numbered through; the next one also records what happened between the two tasks.
    turn: {
      ...fresh.turn,
      count: turn.count,
      changesBefore: turn.changesBefore,
      escalationsBefore: turn.escalationsBefore,
    },
    calls: { ...fresh.calls, total: calls.total },
    // Agents below it may still be at work, and count in its budget.
    limits: { ...fresh.limits, usage: limits.usage, budget: { ...limits.budget, tokens: 0, cost: 0 } },
  });
}

/** Groups of an agent's state. Views of the state hold them, so they stay the same objects for as long as the agent lives. */
type Group = Exclude<
  keyof SubContext,
  'meta' | 'status' | 'children' | 'flags' | 'values' | 'deliverables' | 'initialParams' | 'stateTaint'
>;
const groups: Readonly<Record<Group, true>> = {
  work: true,
  inbox: true,
  history: true,
  context: true,
  turn: true,
  calls: true,
  counters: true,
  streaks: true,
  limits: true,
  result: true,
};

/** Gives every group of an agent's state the content of another one. */
function adopt(agent: SubContext, content: Pick<SubContext, Group>): void {
  for (const group of Object.keys(groups) as Group[]) Object.assign(agent[group], content[group]);
}

/** Returns an empty history after the one that a task left behind. */
function archived(
  { messages, origins, released, archived: earlier }: AgentHistory,
  fresh: AgentHistory,
  iteration: number,
): AgentHistory {
  return { ...fresh, archived: [...earlier, { iteration, messages, origins, released }] };
}

/** Returns the size and the view of a history that goes on with the next task. */
function sameContext(context: AgentContext, fresh: AgentContext): AgentContext {
  const { tokenTotals, tokensReleased, counted, view, fixedTokens, compactions } = context;
  return { ...fresh, tokenTotals, tokensReleased, counted, view, fixedTokens, compactions };
}

function unbegun({ meta, isHeld, work, flowId, lastTurnId, initialParams, carried, workingSince }: Birth): SubContext {
  return {
    meta,
    status: isHeld ? 'held' : 'ready',
    children: [],
    work,
    inbox: { items: [], deadLetters: [], awaitingOn: undefined },
    history: {
      messages: [],
      origins: [],
      wireIds: new Set(),
      released: 0,
      archived: [],
      sources: newSourceMarks(carried),
    },
    context: {
      tokenTotals: [],
      tokensReleased: 0,
      counted: undefined,
      view: wholeHistory,
      fixedTokens: 0,
      compacting: undefined,
      compactions: 0,
      madeRoom: false,
    },
    turn: newTurn(flowId, lastTurnId),
    calls: { open: new Map(), total: 0 },
    counters: newCounters(),
    streaks: { signatures: [], cycleMatches: [], escalations: none, turnsAlone: 0 },
    limits: {
      stage: 'none',
      reason: undefined,
      warned: [],
      limitedAt: undefined,
      workingSince,
      usage: emptyUsage(),
      budget: newBudget(),
    },
    result: { outcome: undefined, output: '', error: undefined, unknown: none },
    flags: nothing,
    values: nothing,
    deliverables: nothing,
    initialParams,
    stateTaint: new Map(),
  };
}

function newTurn(flowId: string, lastId: AgentTurn['lastId']): AgentTurn {
  return {
    currentId: undefined,
    lastId,
    count: 0,
    flowId,
    action: null,
    lastReply: '',
    loop: false,
    nextToolChoice: undefined,
    toolBound: undefined,
    forbiddenTools: none,
    question: undefined,
    changesBefore: [],
    escalationsBefore: none,
    brokenReplies: 0,
    outputRepairs: 0,
  };
}

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

function newMeta(event: EventOf<'agent.start'>): SubContextMeta {
  return {
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
  };
}

function toBeginning({ seq, at, callId }: EventOf<'agent.start' | 'agent.restart'>): Beginning {
  return { seq, at, callId };
}

const none: readonly never[] = [];
/** Frozen: conditions and tools receive this very object. */
const nothing: JsonObject = Object.freeze({});
