import type { CadreEvent } from '../core/event.ts';

/** How many events of a run a fork may take over: up to the last turn that ended within them. */
export function forkPoint(events: readonly CadreEvent[], at: number): number {
  for (let index = Math.min(at, events.length) - 1; index > 0; index--) {
    if (events[index]?.type === 'turn.end') return index + 1;
  }
  const first = events.findIndex((event) => event.type === 'turn.start');
  return first < 0 ? events.length : first;
}
