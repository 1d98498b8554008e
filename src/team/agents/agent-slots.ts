import type { EventDraft } from '../../core/events/event.ts';
import { liveRefusal, liveRoom } from '../../core/state/spawn-limits.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { isAwaitingUser } from '../../core/state/is-awaiting-user.ts';
import { calledAgents } from './admit-call.ts';

/** Tells whether one of the caller's agents is at work on a call that is open: when it is done, held ones are looked at. */
export function isAnyoneAtWork(context: TransitionContext): boolean {
  return openAgents(context).some(isAtWork);
}

/**
 * Starts held agents on the room there is: this call's first, then those of the caller's other calls. When there is none, and
 * nobody is left whose end would make some, the held ones end: nothing is ever held for ever.
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
  const error = { code: 'LIMIT_REACHED', message: `it never went to work: ${liveRefusal(run)}` } as const;
  return { type: 'agent.end', agentId: meta.agentId, outcome: 'limit', output: '', deliverables, error };
}

function isAtWork(agent: SubContext): boolean {
  return agent.status !== 'held' && agent.status !== 'ended' && !isAwaitingUser(agent);
}

/** The caller's agents whose call is open, and was made here: other tools that start agents look at no held ones when theirs end. */
function openAgents({ run, agent, callId }: TransitionContext): readonly SubContext[] {
  return calledAgents(run, agent).filter(({ meta }) => {
    const waitFor = meta.callId === undefined ? undefined : agent.calls.open.get(meta.callId)?.waitFor;
    return meta.callId === callId || (waitFor?.kind === 'agents' && waitFor.orWait === true);
  });
}
