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
  /** Tokens and US dollars of it and all agents below it that count against its limits. */
  readonly tokensWithChildren: number;
  readonly costWithChildren: number | null;
  readonly costWithChildrenAtLeast: number;
  /** Some call of it, or of an agent below it, had no price. */
  readonly costWithChildrenUnknown: boolean;
  /** The limit it was told of last, and whether its next turn is the last. */
  readonly limit: { readonly stage: 'warned' | 'last_turn'; readonly reason: string } | undefined;
  /** Input tokens of its latest model call: how full its context is. */
  readonly contextTokens: number | undefined;
  /** How many tokens fit into the context of the model that call went to, where its LLM config says so. */
  readonly contextWindow: number | undefined;
  readonly currentTurnId: TurnId | undefined;
  /** Tool calls that have not ended. */
  readonly openCalls: readonly { readonly name: string; readonly status: string }[];
  /** Items waiting in its inbox, of an agent that ended those it never read; and items that could not be read. */
  readonly waitingItems: number;
  readonly deadLetters: number;
  readonly children: readonly AgentNodeView[];
}

/** The agents of a run as a tree, in the order they were started. */
export function tree(run: RunContext, profiles?: ReadonlyMap<string, ProfileFacts>): readonly AgentNodeView[] {
  return rootAgents(run).map((agent) => toNode(run, agent, profiles));
}

/** The agents that no agent of the run started. */
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

/** Items that an ended agent missed. The results of its own last calls, such as the one it ended with, are nothing to miss. */
function neverRead({ inbox: { items: inbox } }: SubContext): number {
  return inbox.filter(({ item, turnsSeen }) => turnsSeen === 0 && !ownNews.has(item.source)).length;
}

/** What the engine posts to an agent about the agent itself. */
const ownNews: ReadonlySet<string> = new Set(['TOOL_RESULT', 'LIMIT_NOTICE', 'STAGNATION_NOTICE']);

/** The latest model call of an agent that says how many tokens it read. */
function latestCall(run: RunContext, agent: SubContext): EventOf<'model.end'> | undefined {
  for (const turnId of [agent.turn.currentId, agent.turn.lastId]) {
    const turn = turnId === undefined ? undefined : run.turns.get(turnId);
    // An agent that has taken no turn yet names the turn its baton came from, which is another agent's.
    if (turn?.agentId === agent.meta.agentId && turn.modelEnd?.usage.inputTokens !== undefined) return turn.modelEnd;
  }
  return undefined;
}
