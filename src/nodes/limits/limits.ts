import type { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import type { LimitReach } from '../../core/events/agent-events.ts';
import { moduleOf, parentOf } from '../../core/fold/budget.ts';
import { defaultAgentLimits } from '../../core/profile/limits.ts';
import type { Limits, ModuleLimits } from '../../core/profile/profile.ts';
import { noticeKey } from '../../core/state/notice-key.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** A limit that is near (1) or used up (2). */
export type ReachedLimit = Omit<LimitReach, 'type' | 'agentId'>;

/** Returns the limits of the work module an agent works on, from the profile of the agent that dispatched it. */
export function moduleLimits(context: Pick<TurnContext, 'env' | 'run' | 'agent'>): ModuleLimits | undefined {
  const { env, run, agent } = context;
  const lead = agent.work.moduleLead === undefined ? undefined : run.agents.get(agent.work.moduleLead);
  return lead === undefined ? undefined : env.profiles.get(lead.meta.profile)?.limits.perModule;
}

/**
 * Checks every limit that is counted when a turn starts. Returns those that are near and not announced yet, or the first
 * that is used up. Timers check deadlines; `limits/reserve.ts` checks that the next model call fits.
 */
export function reachedLimits(context: Pick<TurnContext, 'env' | 'run' | 'agent' | 'profile'>): readonly ReachedLimit[] {
  const { env, run, agent, profile } = context;
  const softAt = profile.limits.softAt ?? run.limits.softAt;
  const look = new LimitLook(agent, softAt);
  const { limits } = profile;
  const { counters } = agent;
  look.at('agent', agent, 'turns', counters.turnCount, limits.maxTurns ?? defaultAgentLimits.maxTurns);
  look.at('agent', agent, 'tool_calls', counters.toolCallCount, limits.maxToolCalls ?? defaultAgentLimits.maxToolCalls);
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above)) {
    const { maxTokens, maxCostUsd } = spendLimits(env, above);
    look.at('agent', above, 'tokens', above.limits.budget.tokens, maxTokens);
    look.at('agent', above, 'cost_usd', above.limits.budget.cost, maxCostUsd);
  }
  const module = moduleOf(run, agent);
  const perModule = module === undefined ? undefined : moduleLimits(context);
  if (module !== undefined && perModule !== undefined) {
    look.at('module', agent, 'turns', module.turns, perModule.maxTurns);
    look.at('module', agent, 'tool_calls', module.toolCalls, perModule.maxToolCalls);
    look.at('module', agent, 'tokens', module.tokens, perModule.maxTokens);
    look.at('module', agent, 'cost_usd', module.cost, perModule.maxCostUsd);
  }
  look.at('run', agent, 'turns', run.counters.turns, run.limits.maxTurns);
  look.at('run', agent, 'tool_calls', run.counters.toolCalls, run.limits.maxToolCalls);
  look.at('run', agent, 'tokens', run.budget.tokens, run.limits.maxTokens);
  look.at('run', agent, 'cost_usd', run.budget.cost, run.limits.maxCostUsd);
  return look.reached;
}

/**
 * True when no limit is near, the common case; false proves nothing and calls for the exact look. It must never be true where
 * `reachedLimits` finds a limit.
 */
export function areAllFar({ env, run, agent, profile }: Pick<TurnContext, 'env' | 'run' | 'agent' | 'profile'>): boolean {
  const { counters } = agent;
  const softAt = profile.limits.softAt ?? run.limits.softAt;
  if (agent.work.moduleScope !== undefined) return false;
  if (counters.turnCount >= (profile.limits.maxTurns ?? defaultAgentLimits.maxTurns) * softAt) return false;
  if (counters.toolCallCount >= (profile.limits.maxToolCalls ?? defaultAgentLimits.maxToolCalls) * softAt) return false;
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above)) {
    const { tokens, cost } = above.limits.budget;
    const { maxTokens, maxCostUsd } = spendLimits(env, above);
    if (maxTokens !== undefined && tokens >= maxTokens * softAt) return false;
    if (maxCostUsd !== undefined && cost >= maxCostUsd * softAt) return false;
  }
  if (run.counters.turns >= run.limits.maxTurns * softAt || run.counters.toolCalls >= run.limits.maxToolCalls * softAt)
    return false;
  return !(run.budget.tokens >= run.limits.maxTokens * softAt || run.budget.cost >= run.limits.maxCostUsd * softAt);
}

/** Tokens and US dollars that an agent and all below it may use; undefined for no limit. */
export type SpendLimits = Partial<Pick<Limits, 'maxTokens' | 'maxCostUsd'>>;

/** Returns what an agent and all below it may use. A root whose profile sets no limits has only those of the run. */
export function spendLimits({ profiles }: Pick<Env, 'profiles'>, { meta }: SubContext): SpendLimits {
  const own: SpendLimits = profiles.get(meta.profile)?.limits ?? {};
  if (meta.parentAgentId === undefined) return own;
  const { maxTokens = defaultAgentLimits.maxTokens, maxCostUsd = defaultAgentLimits.maxCostUsd } = own;
  return { maxTokens, maxCostUsd };
}

const none: readonly never[] = [];

/** One look at all limits of an agent; most find nothing, and cost nothing but the look. */
class LimitLook {
  reached: readonly ReachedLimit[] = none;
  readonly #agent: SubContext;
  readonly #softAt: number;

  constructor(agent: SubContext, softAt: number) {
    this.#agent = agent;
    this.#softAt = softAt;
  }

  at(scope: LimitReach['scope'], holder: SubContext, limit: LimitReach['limit'], used: number, allowed: number | undefined): void {
    if (allowed === undefined || used < allowed * this.#softAt) return;
    // A limit of one or two has no room for a warning.
    const stage = used >= allowed ? 2 : 1;
    if (stage === 1 && allowed <= 2 && limit !== 'cost_usd') return;
    if (this.reached[0]?.stage === 2) return;
    if (stage === 1 && this.#agent.limits.warned.includes(noticeKey({ stage, scope, limit }))) return;
    const reason = `${shown(used)} of ${shown(allowed)} ${words[limit]}${this.#whose(scope, holder)}`;
    const found: ReachedLimit = { stage, scope, limit, used, allowed, reason };
    this.reached = stage === 2 ? [found] : [...this.reached, found];
  }

  #whose(scope: LimitReach['scope'], holder: SubContext): string {
    if (scope === 'run') return ' of the run';
    if (scope === 'module') return ` of work module ${holder.work.moduleScope ?? ''}`;
    return holder === this.#agent ? '' : ` of ${holder.meta.agentId} and all below it`;
  }
}

const words = {
  turns: 'turns',
  tool_calls: 'tool calls',
  tokens: 'tokens',
  cost_usd: 'US dollars',
  wall_seconds: 'seconds of working time',
  context: 'tokens of context',
} as const;

/** A number as people write it: without the digits that adding fractions brings. */
export function shown(value: number): string {
  return `${Math.round(value * 10_000) / 10_000}`;
}

/** Number of tool calls an agent may still make, and the limit that sets it. */
export interface ToolCallRoom {
  readonly left: number;
  readonly most: number;
  /** Holder of the limit. */
  readonly holder: 'agent' | 'module' | 'run';
}

/** The tool calls that the limits of the agent, its work module and its run leave. */
export function toolCallRoom(context: Pick<TurnContext, 'env' | 'run' | 'agent' | 'profile'>): ToolCallRoom {
  const { run, agent, profile } = context;
  let most = profile.limits.maxToolCalls ?? defaultAgentLimits.maxToolCalls;
  let left = most - agent.counters.toolCallCount;
  let holder: ToolCallRoom['holder'] = 'agent';
  const ofModule = agent.work.moduleScope === undefined ? undefined : moduleOf(run, agent);
  const perModule = ofModule === undefined ? undefined : moduleLimits(context)?.maxToolCalls;
  if (ofModule !== undefined && perModule !== undefined && perModule - ofModule.toolCalls < left) {
    most = perModule;
    left = perModule - ofModule.toolCalls;
    holder = 'module';
  }
  if (run.limits.maxToolCalls - run.counters.toolCalls < left) {
    most = run.limits.maxToolCalls;
    left = most - run.counters.toolCalls;
    holder = 'run';
  }
  return { left: Math.max(0, left), most, holder };
}
