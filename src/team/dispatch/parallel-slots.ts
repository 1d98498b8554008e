import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { liveRoom } from '../../core/state/spawn-limits.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { latestDispatch } from './settle-assignment.ts';

/**
 * Returns the number of associates a new dispatch may start: the cap minus those of the caller's other open dispatches, and at
 * least one. Each open dispatch always has an associate at work, so each is called back and none starves.
 */
export function freeSlots(context: TransitionContext, maxParallel: number): number {
  return Math.max(1, openSlots(context, maxParallel));
}

/** Returns the free slots of a call that already has an associate at work and needs no further one. */
export function openSlots(context: TransitionContext, maxParallel: number): number {
  return Math.max(0, Math.min(maxParallel - atWork(context).length, roomOf(context)));
}

/** Starts held associates in the free slots: this call's first, then those of the caller's other calls. */
export function releaseHeld(context: TransitionContext, maxParallel: number): readonly EventDraft[] {
  if (context.run.held === 0) return [];
  const working = atWork(context);
  const held = openChildren(context).filter((child) => child.status === 'held');
  const own = held.filter((child) => child.meta.callId === context.callId);
  const others = held.filter((child) => child.meta.callId !== context.callId);
  const starving = own.length > 0 && !working.some((child) => child.meta.callId === context.callId);
  const count = Math.min(Math.max(maxParallel - working.length, starving ? 1 : 0), roomOf(context));
  return [...own, ...others].slice(0, count).flatMap((child) => releaseEvents(context, child.meta.agentId));
}

function releaseEvents(context: TransitionContext, agentId: AgentId): readonly EventDraft[] {
  const record = latestDispatch(context.run, agentId);
  const running: readonly EventDraft[] =
    record === undefined ? [] : [{ type: 'dispatch.update', dispatchId: record.dispatch_id, patch: { status: 'RUNNING' } }];
  return [{ type: 'agent.release', agentId }, ...running];
}

/** Returns the free slots under the run's own cap; an agent that has just ended frees at least one. */
function roomOf({ run, profiles, agent }: TransitionContext): number {
  return liveRoom(run, profiles, agent);
}

function atWork(context: TransitionContext): readonly SubContext[] {
  return openChildren(context).filter((child) => child.status !== 'held');
}

/** Returns the caller's running associates whose dispatch is still open. */
function openChildren({ run, agent, callId }: TransitionContext): readonly SubContext[] {
  return agent.children.flatMap((id) => {
    const child = run.agents.get(id);
    if (child === undefined || child.status === 'ended' || child.meta.moduleId === undefined) return [];
    const { callId: startedBy } = child.meta;
    return startedBy === callId || (startedBy !== undefined && agent.calls.open.has(startedBy)) ? [child] : [];
  });
}
