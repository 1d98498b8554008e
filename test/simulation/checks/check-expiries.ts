import type { CadreEvent, EventOf } from '../../../src/core/events/event.ts';
import type { World } from '../world/world.ts';

interface Waiting {
  readonly suspend: EventOf<'tool.suspend'>;
  readonly verdict: 'deny' | 'allow';
  /** In time without jumps of the clock. */
  readonly due: number;
}

/**
 * Checks expiries from the journal alone: calls expire not before their time, with the verdict of their gate, and immediately
 * if the time was over when a process recovered the run. Overdue waits are checked when everything else rests.
 */
export function checkExpiries(world: World, events: readonly CadreEvent[]): void {
  const waiting = new Map<string, Waiting>();
  let jumped = 0;
  for (const [index, event] of events.entries()) {
    // A clock that was set back while no process had the run is a jump as well.
    if (event.type === 'run.resume') jumped += Math.min(0, event.at - (events[index - 1]?.at ?? event.at));
    if (event.type === 'clock.jump') jumped += event.ms;
    else if (event.type === 'tool.suspend') follow(waiting, event, jumped);
    else if (event.type === 'tool.end') waiting.delete(event.callId);
    else if (event.type === 'tool.answer') {
      checkAnswer(world, event, waiting.get(event.callId), jumped);
      waiting.delete(event.callId);
    } else if (event.type === 'run.resume') checkTakenUp(world, events.slice(index), waiting, jumped);
  }
}

function follow(waiting: Map<string, Waiting>, suspend: EventOf<'tool.suspend'>, jumped: number): void {
  waiting.delete(suspend.callId);
  if (suspend.on.kind === 'agents' || suspend.on.expires === undefined) return;
  const { afterMs, verdict } = suspend.on.expires;
  waiting.set(suspend.callId, { suspend, verdict, due: suspend.at - jumped + afterMs });
}

function checkAnswer(world: World, answer: EventOf<'tool.answer'>, waited: Waiting | undefined, jumped: number): void {
  if (answer.expired !== true) return;
  if (waited === undefined) {
    world.violated(`E13 at ${answer.seq}: ${answer.callId} expired, and did not wait for anything that does`);
    return;
  }
  const early = waited.due - (answer.at - jumped);
  if (early > 0) world.violated(`E13 at ${answer.seq}: ${answer.callId} expired ${early} ms before its time`);
  const wanted = waited.verdict === 'allow' && waited.suspend.on.kind === 'approval' ? 'approved' : 'rejected';
  if (answer.verdict !== wanted)
    world.violated(`E13 at ${answer.seq}: ${answer.callId} expired and is ${answer.verdict}, where its gate says ${wanted}`);
}

/** Checks that calls which expired while no process had the run are settled in the commit that recovers it, before any verdict. */
function checkTakenUp(world: World, events: readonly CadreEvent[], waiting: ReadonlyMap<string, Waiting>, jumped: number): void {
  const [resume] = events;
  if (resume === undefined) return;
  for (const { due, suspend } of waiting.values()) {
    if (due > resume.at - jumped) continue;
    const next = events.find((event) => isOfCall(event) && event.callId === suspend.callId);
    const isSettled =
      next !== undefined && isOfCall(next) && (next.type === 'tool.end' || next.expired === true) && next.at === resume.at;
    if (!isSettled)
      world.violated(`E13 at ${resume.seq}: the run is taken up, and ${suspend.callId}, whose time was over, still waits`);
    else world.reached('expired while nobody was there');
  }
}

function isOfCall(event: CadreEvent): event is EventOf<'tool.answer' | 'tool.end'> {
  return event.type === 'tool.answer' || event.type === 'tool.end';
}
