import type { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import { defaultAgentLimits } from '../../core/profile/limits.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { moduleLimits } from './limits.ts';

/** Something of a run that comes due at a time; what it says is looked at again when the time has come. */
export type Deadline = { readonly at: number } & (
  | { readonly kind: 'run'; readonly stage: 1 | 2 }
  /** `since` tells the agent's iteration at work from one before. */
  | { readonly kind: 'agent'; readonly stage: 1 | 2; readonly agentId: AgentId; readonly since: number }
  | { readonly kind: 'module'; readonly stage: 1 | 2; readonly moduleId: string; readonly since: number }
  | { readonly kind: 'last_turn'; readonly agentId: AgentId; readonly since: number }
  | { readonly kind: 'expiry'; readonly agentId: AgentId; readonly callId: CallId; readonly since: number }
);

/** The deadlines of a run as a whole. */
export function runDeadlines(run: RunContext): readonly Deadline[] {
  const { maxWallMs, softAt } = run.limits;
  const start = run.meta.createdAt;
  return [
    { kind: 'run', stage: 1, at: start + maxWallMs * softAt },
    { kind: 'run', stage: 2, at: start + maxWallMs },
  ];
}

/** Milliseconds that an agent and all below it may work; for the root, those of the run unless its profile says otherwise. */
export function wallLimit(context: Pick<TurnContext, 'env' | 'run' | 'agent'>): number {
  const { env, run, agent } = context;
  const own = env.profiles.get(agent.meta.profile)?.limits.maxWallMs;
  return own ?? (agent.meta.parentAgentId === undefined ? run.limits.maxWallMs : defaultAgentLimits.maxWallMs);
}

/** The deadlines of an agent at work, and of the work module it is put on. */
export function wallDeadlines(context: Pick<TurnContext, 'env' | 'run' | 'agent'>): readonly Deadline[] {
  return [...agentDeadlines(context), ...moduleDeadlines(context)];
}

/** Returns the deadlines of an agent's work module; time spent on earlier attempts counts. */
function moduleDeadlines(context: Pick<TurnContext, 'env' | 'run' | 'agent'>): readonly Deadline[] {
  const { env, run, agent } = context;
  const { moduleId } = agent.meta;
  const module = moduleId === undefined ? undefined : run.moduleBudgets.get(moduleId);
  const limit = moduleLimits(context)?.maxWallMs;
  if (moduleId === undefined || module?.workingSince === undefined || limit === undefined) return [];
  const since = module.workingSince;
  const start = since - module.activeMs;
  const softAt = env.profiles.get(agent.meta.profile)?.limits.softAt ?? run.limits.softAt;
  return [
    { kind: 'module', stage: 1, moduleId, since, at: start + limit * softAt },
    { kind: 'module', stage: 2, moduleId, since, at: start + limit },
  ];
}

function agentDeadlines(context: Pick<TurnContext, 'env' | 'run' | 'agent'>): readonly Deadline[] {
  const { env, run, agent } = context;
  const { agentId } = agent.meta;
  const since = agent.limits.workingSince;
  if (since === undefined || agent.status === 'ended') return [];
  const limits = env.profiles.get(agent.meta.profile)?.limits;
  // The root's deadline is that of the run, which is listed already.
  if (agent.meta.parentAgentId === undefined && limits?.maxWallMs === undefined) return [];
  const limit = wallLimit(context);
  const softAt = limits?.softAt ?? run.limits.softAt;
  return [
    { kind: 'agent', stage: 1, agentId, since, at: since + limit * softAt },
    { kind: 'agent', stage: 2, agentId, since, at: since + limit },
  ];
}

/** Returns the deadline of an agent's last turn, taken from the deadlines of a model call. */
export function lastTurnDeadline(env: Env, run: RunContext, agent: SubContext | undefined): Deadline | undefined {
  const profile = agent === undefined ? undefined : env.profiles.get(agent.meta.profile);
  if (agent?.limits.limitedAt === undefined || agent.status === 'ended' || profile === undefined) return undefined;
  const { total } = env.llmConfig(profile, run, agent).deadlines;
  return { kind: 'last_turn', agentId: agent.meta.agentId, since: agent.limits.limitedAt, at: agent.limits.limitedAt + total };
}

/** Returns the deadline at which a call that waits for a person is answered without one. */
export function expiryDeadline(call: CallState | undefined): Deadline | undefined {
  const waitFor = call?.waitFor;
  if (call?.suspendedAt === undefined || waitFor === undefined || waitFor.kind === 'agents') return undefined;
  if (waitFor.expires === undefined) return undefined;
  const { callId, request, suspendedAt } = call;
  return { kind: 'expiry', agentId: request.agentId, callId, since: suspendedAt, at: suspendedAt + waitFor.expires.afterMs };
}
