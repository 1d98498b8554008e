import type { EventDraft } from '../../core/events/event.ts';
import { liveRefusal, liveRoom } from '../../core/state/spawn-limits.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { isAwaitingUser } from '../../core/state/is-asking.ts';
import { calledAgents } from './admit-call.ts';

/** True when an agent of the caller is working on an open call; its end triggers the start of held ones. */
export function isAnyoneAtWork(context: TransitionContext): boolean {
  return openAgents(context).some(isAtWork);
}

/**
 * Starts held agents in the free slots: this call's first, then those of the caller's other calls. With no free slot, and no agent
 * left whose end would free one, the held agents end, so that none is held forever.
 */
export function releaseHeld(context: TransitionContext): readonly EventDraft[] {
  if (context.run.held === 0) return [];
  const open = openAgents(context);
  const held = open.filter(({ status }) => status === 'held');
  if (held.length === 0) return [];
  const own = held.filter(({ meta }) => meta.callId === context.callId);
  const others = held.filter(({ meta }) => meta.callId !== context.callId);
  const room = liveRoom(context.run, context.profiles, context.agent);
  if (room <= 0 && !open.some(isAtWork)) return held.map((agent) => giveUp(agent, context));
  return [...own, ...others].slice(0, room).map(({ meta }): EventDraft => ({ type: 'agent.release', agentId: meta.agentId }));
}

function giveUp({ meta, deliverables }: SubContext, { run }: TransitionContext): EventDraft {
  const error = { code: 'LIMIT_REACHED', message: `it never started: ${liveRefusal(run)}` } as const;
  return { type: 'agent.end', agentId: meta.agentId, outcome: 'limit', output: '', deliverables, error };
}

function isAtWork(agent: SubContext): boolean {
  return agent.status !== 'held' && agent.status !== 'ended' && !isAwaitingUser(agent);
}

/** Returns the caller's agents with an open call made by these tools; agents of other tools do not release held ones when they end. */
function openAgents({ run, agent, callId }: TransitionContext): readonly SubContext[] {
  return calledAgents(run, agent).filter(({ meta }) => {
    const waitFor = meta.callId === undefined ? undefined : agent.calls.open.get(meta.callId)?.waitFor;
    return meta.callId === callId || (waitFor?.kind === 'agents' && waitFor.orWait === true);
  });
}
