import type { CallState, TurnState } from '../../core/state/turn-state.ts';
import type { TimelinePart } from './timeline-part.ts';

/** Start and end in milliseconds since 1970; the end is infinite for a stretch that has not ended. */
type Stretch = readonly [from: number, until: number];

/** Splits the time of a turn's calls, without gaps: `tools` while a call is running, `person` while all open calls wait for a person. */
export function toolParts({ calls, end }: TurnState): readonly TimelinePart[] {
  const first = calls[0];
  if (first === undefined) return [];
  const isOpen = calls.some((call) => call.end === undefined);
  const last = isOpen ? (end?.at ?? Infinity) : Math.max(...calls.map((call) => call.end?.at ?? 0));
  const parts: TimelinePart[] = [];
  let at = first.request.at;
  const add = (kind: TimelinePart['kind'], until: number): void => {
    parts.push({ kind, from: at, to: until === Infinity ? undefined : until });
    at = until;
  };
  for (const [from, until] of joined(calls.flatMap((call) => workOf(call, last)))) {
    if (from > at) add('person', from);
    add('tools', until);
  }
  if (at < last || parts.length === 0) add('person', last);
  return parts;
}

/** Returns the stretches in which a call did not wait for a person. */
function workOf({ request, waits, end }: CallState, last: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let at = request.at;
  for (const { from, to = last } of waits) {
    if (from > at) stretches.push([at, from]);
    at = Math.max(at, to);
  }
  const until = end?.at ?? last;
  if (until > at || waits.length === 0) stretches.push([at, until]);
  return stretches;
}

/** Sorts stretches and merges those that touch. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const [from, until] of stretches.toSorted(([a], [b]) => a - b)) {
    const before = found.at(-1);
    if (before !== undefined && from <= before[1]) found[found.length - 1] = [before[0], Math.max(before[1], until)];
    else found.push([from, until]);
  }
  return found;
}
