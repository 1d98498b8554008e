import { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import { defaultDeadlines } from '../../core/model/llm-config.ts';
import { defaultAgentLimits } from '../../core/profile/limits.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { moduleLimits } from './limits.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { LimitReach } from '../../core/events/agent-events.ts';
import { activeAt } from '../../core/state/run-time.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { dropCompaction } from '../prompt/drop-compaction.ts';
import { endAgent } from '../turn/end-agent.ts';
import { defaultFunctionTimeoutMs } from '../turn/function-node.ts';
import { endCall, expireCall } from '../tools/end-call.ts';
import { announceLimit } from './announce-limit.ts';
import { configOf } from './reserve.ts';

/** Time at which something of a run is due; whether it still applies is checked from state when the time has come. */
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
function wallLimit(context: Pick<TurnContext, 'env' | 'run' | 'agent'>): number {
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

/** Returns the deadline of an agent's last turn: a model call gets what its LLM config allows a whole call, a function its own time. */
export function lastTurnDeadline(env: Env, run: RunContext, agent: SubContext | undefined): Deadline | undefined {
  const profile = agent === undefined ? undefined : env.profiles.get(agent.meta.profile);
  if (agent?.limits.limitedAt === undefined || agent.status === 'ended' || profile === undefined) return undefined;
  // A config that cannot be used lets the turn itself fail.
  const called = configOf({ env, profile, run, agent })?.deadlines.total ?? defaultDeadlines.total;
  const most = profile.functionNode === undefined ? called : (profile.functionTimeoutMs ?? defaultFunctionTimeoutMs);
  return { kind: 'last_turn', agentId: agent.meta.agentId, since: agent.limits.limitedAt, at: agent.limits.limitedAt + most };
}

/** Returns the deadline at which a call that waits for a person is answered without one. */
export function expiryDeadline(call: CallState | undefined): Deadline | undefined {
  const waitFor = call?.waitFor;
  if (call?.suspendedAt === undefined || waitFor === undefined || waitFor.kind === 'agents') return undefined;
  if (waitFor.expires === undefined) return undefined;
  const { callId, request, suspendedAt } = call;
  return { kind: 'expiry', agentId: request.agentId, callId, since: suspendedAt, at: suspendedAt + waitFor.expires.afterMs };
}

/**
 * Applies the deadlines that are due. At the soft share of a deadline, asks the agent to wrap up. At the deadline, ends
 * everything below it, interrupts its model call, asks its tools to stop, and grants one last turn without tools; if that
 * does not finish in time either, ends the agent as it is.
 */
export function applyDeadlines(tx: Transaction, env: Env, deadlines: readonly Deadline[]): void {
  for (const due of deadlines) if (tx.run.outcome === undefined) applyDue(tx, env, due);
}

function applyDue(tx: Transaction, env: Env, due: Deadline): void {
  const { run } = tx;
  switch (due.kind) {
    case 'run': {
      const used = activeAt(run, tx.at) - run.meta.createdAt;
      const told = due.stage === 1 ? [...run.agents.values()] : [...run.agents.values()].slice(0, 1);
      for (const agent of told)
        reach(new TurnContext(tx, env, agent), wallReach(agent, due.stage, 'run', used, run.limits.maxWallMs));
      break;
    }
    case 'agent': {
      const agent = run.agents.get(due.agentId);
      if (agent === undefined || agent.limits.workingSince !== due.since) break;
      const used = activeAt(run, tx.at) - due.since;
      reach(new TurnContext(tx, env, agent), wallReach(agent, due.stage, 'agent', used, wallLimit({ env, run, agent })));
      break;
    }
    case 'module':
      moduleDeadline(tx, env, due);
      break;
    case 'last_turn': {
      const agent = run.agents.get(due.agentId);
      if (agent === undefined || agent.limits.limitedAt !== due.since) break;
      const error = limitError(`${agent.limits.reason ?? 'the limit'}; its last turn was not over in time`);
      endAgent(new TurnContext(tx, env, agent), { outcome: 'limit', error }, agent.meta.seq);
      break;
    }
    case 'expiry':
      expireCall(tx, env, due.callId, due.since);
      break;
  }
}

/** Notifies the agents on a work module of its deadline; the module goes to review when they have ended. */
function moduleDeadline(tx: Transaction, env: Env, due: Extract<Deadline, { kind: 'module' }>): void {
  const { run } = tx;
  const module = run.moduleBudgets.get(due.moduleId);
  if (module?.workingSince !== due.since) return;
  const used = module.activeMs + activeAt(run, tx.at) - due.since;
  for (const agent of [...run.agents.values()]) {
    const limit = agent.meta.moduleId === due.moduleId ? moduleLimits({ env, run, agent })?.maxWallMs : undefined;
    if (limit !== undefined) reach(new TurnContext(tx, env, agent), wallReach(agent, due.stage, 'module', used, limit));
  }
}

function wallReach({ meta }: SubContext, stage: 1 | 2, scope: LimitReach['scope'], usedMs: number, allowedMs: number): LimitReach {
  const allowed = allowedMs / 1000;
  // A timer comes a little early or late, and seconds are rounded; what was reached, was reached.
  const used = Math.max(Math.round(usedMs / 1000), stage === 2 ? allowed : 0);
  const whose = scope === 'run' ? 'of the run' : scope === 'module' ? `on ${meta.moduleId ?? ''}` : `of ${meta.agentId}`;
  const reason = `${used} of ${allowed} seconds of working time ${whose}`;
  return { type: 'limit.reach', agentId: meta.agentId, stage, scope, limit: 'wall_seconds', used, allowed, reason };
}

function reach(context: TurnContext, limit: LimitReach): void {
  const { tx, agent } = context;
  if (agent.status === 'ended' || agent.status === 'held' || agent.limits.stage === 'last_turn') return;
  if (limit.stage === 2) stopAgent(context, limit);
  else announceLimit(tx, agent, limit);
}

/** Stops what an agent has in flight, so that its last turn can begin. */
function stopAgent(context: TurnContext, limit: LimitReach): void {
  const { tx, agent } = context;
  const cause = agent.meta.seq;
  const notice = announceLimit(tx, agent, limit);
  const turnId = agent.turn.currentId;
  if (turnId !== undefined && tx.run.turns.get(turnId)?.interruptedBy === notice)
    tx.effects.push({ kind: 'interrupt', agentId: agent.meta.agentId, turnId, cause: notice });
  const error = limitError(limit.reason);
  dropCompaction(context, limit.reason, cause);
  endBelow(context, error, cause);
  for (const call of [...agent.calls.open.values()]) stopCall(context, call, error);
}

/** Ends all agents below one, deepest first: each with what it had, as `limit`. */
function endBelow(context: TurnContext, error: ErrorRecord, cause: number): void {
  const { tx, env, agent } = context;
  for (const childId of agent.children) {
    const child = tx.run.agents.get(childId);
    if (child === undefined || child.status === 'ended') continue;
    endBelow(new TurnContext(tx, env, child), error, cause);
    endAgent(new TurnContext(tx, env, child), { outcome: 'limit', error }, cause);
  }
}

/** Asks a running tool to stop within its grace period; answers a call that waits for a person or for its turn. */
function stopCall(context: TurnContext, call: CallState, error: ErrorRecord): void {
  const { tx, agent } = context;
  if (call.status === 'running') {
    const { agentId } = agent.meta;
    const cause = call.startSeq ?? call.request.seq;
    tx.effects.push({ kind: 'stop', agentId, turnId: call.request.turnId, callId: call.callId, error, cause });
    return;
  }
  // A call that waits for agents is resumed, since they have ended.
  if (call.status === 'suspended' && call.waitFor?.kind === 'agents') return;
  endCall(context, call.callId, {
    status: 'cancelled',
    content: JSON.stringify({ error: error.code, message: `'${call.request.name}' was not run: ${error.message}` }),
    error,
    cause: call.request.seq,
  });
}

function limitError(message: string): ErrorRecord {
  return { code: 'LIMIT_REACHED', message };
}
