import { shownCost } from '../core/state/budget.ts';
import type { ErrorRecord } from '../core/error.ts';
import type { EventOf } from '../core/events/event.ts';
import type { AgentId, TurnId } from '../core/ids.ts';
import type { SubContext, AgentStatus } from '../core/state/sub-context.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { ProfileFacts } from './turn/profile-facts.ts';

/** One agent of a run, with the agents it started. */
export interface AgentNodeView {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | undefined;
  readonly profile: string;
  readonly profileType: string;
  readonly roleName: string | undefined;
  readonly moduleId: string | undefined;
  readonly status: AgentStatus;
  readonly outcome: string | undefined;
  readonly error: ErrorRecord | undefined;
  readonly iteration: number;
  readonly startedAt: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when the cost of some call is unknown. */
  readonly cost: number | null;
  /** US dollars known so far. */
  readonly costAtLeast: number;
  readonly costUnknown: boolean;
  /** Tokens and US dollars of the agent and all agents below it, as counted against its limits. */
  readonly tokensWithChildren: number;
  readonly costWithChildren: number | null;
  readonly costWithChildrenAtLeast: number;
  /** The cost of a call by the agent, or an agent below it, is unknown. */
  readonly costWithChildrenUnknown: boolean;
  /** The last limit notice it received, and whether its next turn is the last. */
  readonly limit: { readonly stage: 'warned' | 'last_turn'; readonly reason: string } | undefined;
  /** Input tokens of its latest model call, that is, the size of its context. */
  readonly contextTokens: number | undefined;
  /** Context window, in tokens, of the model that call went to, if its LLM config gives it. */
  readonly contextWindow: number | undefined;
  readonly currentTurnId: TurnId | undefined;
  /** Tool calls that have not ended. */
  readonly openCalls: readonly { readonly name: string; readonly status: string }[];
  /** Items waiting in the inbox (for an ended agent, those never read), and items that could not be read. */
  readonly waitingItems: number;
  readonly deadLetters: number;
  readonly children: readonly AgentNodeView[];
}

/** The agents of a run as a tree, in the order they were started. */
export function tree(run: RunContext, profiles?: ReadonlyMap<string, ProfileFacts>): readonly AgentNodeView[] {
  return rootAgents(run).map((agent) => toNode(run, agent, profiles));
}

/** Returns the agents that no agent of the run started. */
export function rootAgents(run: RunContext): readonly SubContext[] {
  return [...run.agents.values()].filter(({ meta }) => meta.parentAgentId === undefined || !run.agents.has(meta.parentAgentId));
}

function toNode(run: RunContext, agent: SubContext, profiles: ReadonlyMap<string, ProfileFacts> | undefined): AgentNodeView {
  const {
    meta,
    limits: { usage },
  } = agent;
  const children = agent.children.flatMap((child) => {
    const state = run.agents.get(child);
    return state === undefined ? [] : [toNode(run, state, profiles)];
  });
  const modelEnd = latestCall(run, agent);
  const config = modelEnd?.attempts.at(-1)?.config;
  const costWithChildrenUnknown = usage.costUnknown || children.some((child) => child.costWithChildrenUnknown);
  return {
    agentId: meta.agentId,
    parentAgentId: meta.parentAgentId,
    profile: meta.profile,
    profileType: meta.type,
    roleName: meta.roleName,
    moduleId: meta.moduleId,
    status: agent.status,
    outcome: agent.result.outcome,
    error: agent.result.error,
    iteration: agent.work.iteration,
    startedAt: meta.startedAt,
    turns: agent.turn.count,
    toolCalls: agent.calls.total,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    ...shownCost(usage),
    tokensWithChildren: agent.limits.budget.tokens,
    costWithChildren: costWithChildrenUnknown ? null : agent.limits.budget.cost,
    costWithChildrenAtLeast: agent.limits.budget.cost,
    costWithChildrenUnknown,
    limit: agent.limits.stage === 'none' ? undefined : { stage: agent.limits.stage, reason: agent.limits.reason ?? '' },
    contextTokens: modelEnd?.usage.inputTokens,
    contextWindow: config === undefined ? undefined : profiles?.get(meta.profile)?.contextWindows?.[config],
    currentTurnId: agent.turn.currentId,
    openCalls: [...agent.calls.open.values()].map((call) => ({ name: call.request.name, status: call.status })),
    waitingItems: agent.status === 'ended' ? neverRead(agent) : agent.inbox.items.length,
    deadLetters: agent.inbox.deadLetters.length,
    children,
  };
}

/** Counts the items an ended agent missed. Results of its last calls, such as the one it ended with, do not count. */
function neverRead({ inbox: { items: inbox } }: SubContext): number {
  return inbox.filter(({ item, turnsSeen }) => turnsSeen === 0 && !ownNews.has(item.source)).length;
}

/** Sources of items the engine posts to an agent about that agent. */
const ownNews: ReadonlySet<string> = new Set(['TOOL_RESULT', 'LIMIT_NOTICE', 'STAGNATION_NOTICE']);

/** Returns the agent's latest model call that reports its input tokens. */
function latestCall(run: RunContext, agent: SubContext): EventOf<'model.end'> | undefined {
  for (const turnId of [agent.turn.currentId, agent.turn.lastId]) {
    const turn = turnId === undefined ? undefined : run.turns.get(turnId);
    // Before its first turn, an agent names the turn that led to it, which belongs to another agent.
    if (turn?.agentId === agent.meta.agentId && turn.modelEnd?.usage.inputTokens !== undefined) return turn.modelEnd;
  }
  return undefined;
}
