import { parentOf } from '../../core/fold/budget.ts';
import { countRefusal, liveRefusal, liveRoom } from '../../core/state/spawn-limits.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { isAwaitingUser } from '../../core/state/is-asking.ts';
import { type Callee, isCallable } from './callee.ts';

/** A caller's request for an agent: a new one, or the one it names. */
export interface AgentRequest {
  readonly callee: Callee;
  /** Parameters passed to the agent. */
  readonly params: JsonObject;
  /** The parameters as the agent is shown them, when they quote untrusted text. */
  readonly shown?: JsonObject | undefined;
  readonly agentId?: string;
}

/** Decision on a request: a new agent, an agent that continues, or a refusal with its reason. */
export type Admission =
  | { readonly kind: 'start' }
  | { readonly kind: 'go_on'; readonly agent: SubContext }
  | { readonly kind: 'refused'; readonly reason: string };

/** Results planned for the earlier requests of the same call. */
export interface Planned {
  readonly started: number;
  readonly goingOn: ReadonlySet<string>;
}

/** Maximum number of ids listed when a caller names an agent it may not call. */
const listedIds = 20;

/** Decides on one request; it is also admitted when no slot is free for a new agent yet. */
export function admitCall(request: AgentRequest, planned: Planned, context: TransitionContext): Admission {
  const { callee } = request;
  const { run, agent, profiles } = context;
  const { name } = callee.profile;
  if (!isCallable(callee.profile)) return refused(`profile ${name} is not active, so none of its agents can be called`);
  if (request.agentId !== undefined) return admitAgain(request.agentId, callee, planned, context);
  const above = agentsAbove(run, agent, name);
  if (above >= callee.maxDepth)
    return refused(
      `${above} agents of ${name} stand one above the other here, and ${callee.maxDepth} may (max_depth); do the work without another one`,
    );
  const reason = countRefusal({ run, profiles, agent }, planned.started);
  return reason === undefined ? { kind: 'start' } : refused(reason);
}

function refused(reason: string): Admission {
  return { kind: 'refused', reason };
}

/** Counts the agents of a profile among an agent and its ancestors. */
function agentsAbove(run: RunContext, agent: SubContext, profile: string): number {
  let count = 0;
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above))
    if (above.meta.profile === profile) count += 1;
  return count;
}

/** Admits an existing agent that the caller called before and that has ended or awaits input. */
function admitAgain(agentId: string, callee: Callee, planned: Planned, context: TransitionContext): Admission {
  const { run, agent, profiles } = context;
  const { name } = callee.profile;
  if (!callee.isResumable) return refused(`agents of ${name} are called once; leave out agent_id to start a new one`);
  const own = calledAgents(run, agent).filter(({ meta }) => meta.profile === name);
  const found = own.find(({ meta }) => meta.agentId === agentId);
  if (found === undefined) {
    return refused(`${JSON.stringify(agentId.slice(0, 100))} is no agent of ${name} that you have called; ${whoCanGoOn(own)}`);
  }
  if (planned.goingOn.has(agentId)) return refused(`${agentId} is given two things to do at once; call it again when it is done`);
  if (!canGoOn(found)) return refused(`${agentId} is at work; wait for its result, and call it then. ${whoCanGoOn(own)}`);
  if (found.status === 'ended' && liveRoom(run, profiles, agent) <= 0) return refused(liveRefusal(run));
  return { kind: 'go_on', agent: found };
}

/** Returns the agents an agent has called, without those of work modules and those in the background. */
export function calledAgents(run: RunContext, caller: SubContext): readonly SubContext[] {
  return caller.children.flatMap((id) => {
    const child = run.agents.get(id);
    if (child?.meta.callId === undefined || child.meta.moduleId !== undefined || child.meta.notify !== undefined) return [];
    return [child];
  });
}

function canGoOn(agent: SubContext): boolean {
  return agent.status === 'ended' || isAwaitingUser(agent);
}

function whoCanGoOn(own: readonly SubContext[]): string {
  const free = own.filter(canGoOn).slice(-listedIds);
  if (free.length === 0) return 'there is none that can go on: leave out agent_id to start a new one.';
  const list = free.map(
    ({ meta, result: { outcome }, status }) => `${meta.agentId} (${status === 'ended' ? (outcome ?? 'ended') : 'waiting'})`,
  );
  return `those that can go on: ${list.join(', ')}; leave out agent_id to start a new one.`;
}
