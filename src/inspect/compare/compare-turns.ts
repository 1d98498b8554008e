import { compareTurn, type Differing, partsOf } from '../rerender/compare-turn.ts';
import { sameData } from '../rerender/same-data.ts';
import type { ReadContent } from '../read-content.ts';
import { cleanContent, cleanTurn, type RunNames, withoutNoise } from './without-noise.ts';
import type { RecordedTurn } from './recorded-turns.ts';
import type { ComparedPart } from './run-comparison.ts';

/** A turn as its journal has it, and where to read its texts. */
export interface TurnSide {
  readonly names: RunNames;
  readonly content: ReadContent;
  readonly turn: RecordedTurn;
}

/** What differs between two turns. */
export interface Compared {
  readonly parts: readonly ComparedPart[];
  readonly difference: Differing;
  /** Index of the first result that differs. */
  readonly result: number;
}

/** The difference of a turn that only one run has. */
export const oneSided: Compared = { parts: ['start'], difference: { start: 'only one of the runs has this turn' }, result: 0 };

/** Compares without what differs between any two runs; then without times, to see whether only those differ. */
export function compareTurns(before: TurnSide, after: TurnSide): Compared {
  const found = compareCleaned(before, after, false);
  if (found.parts.length === 0) return found;
  const timeless = compareCleaned(before, after, true);
  return timeless.parts.length === 0 ? { ...found, parts: ['clock'] } : { ...timeless, difference: found.difference };
}

function compareCleaned(before: TurnSide, after: TurnSide, withoutTimes: boolean): Compared {
  const [left, right] = [cleaned(before, withoutTimes), cleaned(after, withoutTimes)];
  const difference = compareTurn(left, right, undefined) ?? {};
  const found = partsOf(difference);
  const result = right.results.findIndex((each, index) => !sameData(left.results[index], each));
  return {
    difference,
    result: result < 0 ? right.results.length : result,
    parts: [
      ...found.filter((part) => !isDecidedAfterReply(part)),
      ...(before.turn.figures.model === after.turn.figures.model ? [] : (['model'] as const)),
      ...(left.reply === right.reply ? [] : (['reply'] as const)),
      ...found.filter(isDecidedAfterReply),
      ...(sameData(left.results, right.results) ? [] : (['results'] as const)),
    ],
  };
}

function cleaned({ names, content, turn }: TurnSide, withoutTimes: boolean) {
  const clean = withoutNoise(names, withoutTimes);
  return { ...cleanTurn(turn, clean), content: cleanContent(content, clean) };
}

const afterReply: ReadonlySet<ComparedPart> = new Set(['observers', 'items', 'state', 'decision', 'gates']);

/** True for parts that are decided with the reply: a reply that differs comes before them. */
export function isDecidedAfterReply(part: ComparedPart): boolean {
  return afterReply.has(part);
}
