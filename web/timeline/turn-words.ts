import type { TimelineBar, TimelinePart } from '../../src/inspector/timeline-bar.ts';
import { countText, durationText } from '../../src/inspector/format/quantity-text.ts';
import { lineOf } from '../kit/line-of.ts';

/** What the parts of a turn are called. */
export const partWords: Readonly<Record<TimelinePart['kind'], string>> = {
  wait: 'waited in the inbox',
  prep: 'prep',
  exec: 'model',
  post: 'judging the reply',
  tools: 'tools',
};

/** A turn in a sentence, as its link is named: `turn 3 of Associate_2, 4.2 s, 2 tool calls, ok`. */
export function turnName(bar: TimelineBar, number: number, agentId: string, now: number): string {
  const calls = bar.calls.length === 0 ? '' : `, ${countText(bar.calls.length, 'tool call')}`;
  return `turn ${number} of ${lineOf(agentId, 80)}, ${durationText((bar.to ?? now) - bar.from)}${calls}, ${statusWord(bar.status)}`;
}

/** How a turn went, in a word. */
export function statusWord(status: TimelineBar['status']): string {
  return status === 'completed' ? 'ok' : status;
}

/** How long a part took so far. */
export function partMs({ from, to }: { readonly from: number; readonly to: number | undefined }, now: number): number {
  return (to ?? now) - from;
}
