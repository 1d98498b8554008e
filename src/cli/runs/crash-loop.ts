import type { CadreEvent } from '../../core/events/event.ts';

/** Resumptions in a row, and within which time in milliseconds, after which a run is taken for what ends its process. */
const times = 5;
const withinMs = 600_000;

/** What happens to a run that goes on: an answer of a model, the end of a tool. */
const progress: ReadonlySet<CadreEvent['type']> = new Set(['model.end', 'tool.end', 'turn.end', 'agent.end']);

/**
 * True for a run that was resumed again and again in a short time and did nothing in between, such as one whose tool ends the process: a
 * server that a supervisor starts again would resume it for ever. `events` are the newest of its journal.
 */
export function isCrashLoop(events: readonly CadreEvent[]): boolean {
  const since = events.slice(events.findLastIndex(({ type }) => progress.has(type)) + 1);
  const resumed = since.filter(({ type }) => type === 'run.resume').slice(-times);
  const [first] = resumed;
  const last = resumed.at(-1);
  return resumed.length === times && first !== undefined && last !== undefined && last.at - first.at < withinMs;
}
