import type { CadreEvent } from '../../core/events/event.ts';

/** A run is in a crash loop after `times` resumptions in a row within `withinMs` milliseconds. */
const times = 5;
const withinMs = 600_000;

/** Event types that show progress of a run. */
const progress: ReadonlySet<CadreEvent['type']> = new Set(['model.end', 'tool.end', 'turn.end', 'agent.end']);

/**
 * True for a run that was resumed repeatedly within a short time without progress, such as one whose tool crashes the process: a server
 * restarted by a supervisor would resume it forever. `events` are the newest of its journal.
 */
export function isCrashLoop(events: readonly CadreEvent[]): boolean {
  const since = events.slice(events.findLastIndex(({ type }) => progress.has(type)) + 1);
  const resumed = since.filter(({ type }) => type === 'run.resume').slice(-times);
  const [first] = resumed;
  const last = resumed.at(-1);
  return resumed.length === times && first !== undefined && last !== undefined && last.at - first.at < withinMs;
}
