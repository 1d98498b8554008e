import { CadreError } from '../../core/error.ts';
import { prepStart } from '../../inspect/rerender/prep-start.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, RunId } from '../../core/ids.ts';
import { assertOwnRun } from '../recovery/imported-run.ts';

/** Where a fork leaves its original: after a sequence number, or before a turn, which it takes again. */
export interface ForkPoint {
  readonly at: number | undefined;
  readonly before: string | undefined;
  readonly from: RunId;
  readonly to: RunId;
}

/**
 * Returns the first events of a fork: the run's history up to a sequence number, rounded down to the end of a turn, or up to the preparation
 * of a turn, under a new id. Fails with RUN_IMPORTED, and with OPTION_INVALID for a turn that was not recorded.
 */
export function forkedEvents(events: readonly CadreEvent[], fork: ForkPoint): readonly CadreEvent[] {
  const [first] = events;
  if (first?.type === 'run.start') assertOwnRun(first);
  const end = fork.before === undefined ? forkPoint(events, fork.at ?? Number.MAX_SAFE_INTEGER) : startOf(events, fork.before);
  const kept = events.slice(0, end);
  const parentRun = { runId: fork.from, at: kept.length };
  return kept.map((event): CadreEvent =>
    event.type === 'run.start' ? { ...event, runId: fork.to, parentRun } : { ...event, runId: fork.to },
  );
}

/** Returns how many events come before a turn and its preparation. What it reads waits in the inbox there, as after a crash at that moment. */
function startOf(events: readonly CadreEvent[], turnId: string): number {
  const index = events.findIndex((event) => event.type === 'turn.start' && event.turnId === turnId);
  if (index >= 0) return prepStart(events, index);
  const turns = events.flatMap((event) => (event.type === 'turn.start' ? [event.turnId] : []));
  const names = turns.length > 10 ? `… ${turns.slice(-10).join(', ')}` : turns.join(', ') || 'none';
  throw new CadreError('OPTION_INVALID', `engine.fork: before: the run has no turn '${turnId}'; it has ${names}`);
}

/** Returns how many events of a run a fork may copy: up to the last turn that ended within them while its first agent was still active. */
function forkPoint(events: readonly CadreEvent[], at: number): number {
  const root = events.find((event) => event.type === 'agent.start')?.agentId;
  const end = events.findIndex((event) => event.type === 'agent.end' && event.agentId === root);
  const endings = endingsOf(events, root);
  for (let index = Math.min(at, end < 0 ? events.length : end) - 1; index > 0; index--) {
    const event = events[index];
    // A turn is cancelled with its agent, and the agent's caller learns of it only after both.
    if (event?.type !== 'turn.end' || event.status === 'cancelled') continue;
    if (!endings.some(({ from, to }) => from <= index && index < to)) return index + 1;
  }
  const first = events.findIndex((event) => event.type === 'turn.start');
  return first < 0 ? events.length : first;
}

interface Ending {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns, for each agent, the index of its last turn's end and that of the agent's end. A cut between the two would leave an agent that
 * never ends, and its caller waiting forever. Omits the first agent: a fork that keeps it after its last turn waits for a message.
 */
function endingsOf(events: readonly CadreEvent[], root: AgentId | undefined): readonly Ending[] {
  const turnEnds = new Map<number, number>();
  const endings: Ending[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === 'turn.end') turnEnds.set(event.seq, index);
    const from = event.type === 'agent.end' && event.agentId !== root ? turnEnds.get(event.cause ?? 0) : undefined;
    if (from !== undefined) endings.push({ from, to: index });
  }
  return endings;
}
