import { isForPerson, type TimelineBar, type TimelinePart } from '../../src/inspect/timeline/timeline-bar.ts';
import { countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { waitsForYou } from '../../src/inspect/run-words.ts';
import { lineOf } from '../kit/line-of.ts';

/** Names of the parts of a turn. */
export const partWords: Readonly<Record<TimelinePart['kind'], string>> = {
  wait: 'waited in the inbox',
  prep: 'prep',
  exec: 'model',
  post: 'post',
  tools: 'tools',
  person: 'waits for a person',
};

/** Describes a turn, for the label of its link: `turn 3 of Associate_2, 4.2 s, 2 tool calls, ok`. */
export function turnName(bar: TimelineBar, number: number, agentId: string, now: number): string {
  const calls = bar.calls.length === 0 ? '' : `, ${countText(bar.calls.length, 'tool call')}`;
  return `turn ${number} of ${lineOf(agentId, 80)}, ${durationText((bar.to ?? now) - bar.from)}${calls}, ${statusWord(bar)}`;
}

/** Returns the status of a turn in a word. */
export function statusWord(bar: TimelineBar): string {
  if (bar.status === 'completed') return 'ok';
  return isForPerson(bar) ? waitsForYou : bar.status;
}

/** Returns the kinds of parts of a turn, in order, each with its total duration so far. */
export function partTimes(bar: TimelineBar, now: number): ReadonlyMap<TimelinePart['kind'], number> {
  const times = new Map<TimelinePart['kind'], number>();
  for (const part of bar.parts) times.set(part.kind, (times.get(part.kind) ?? 0) + partMs(part, now));
  return times;
}

/** Returns the duration of a part so far. */
export function partMs({ from, to }: { readonly from: number; readonly to: number | undefined }, now: number): number {
  return (to ?? now) - from;
}
