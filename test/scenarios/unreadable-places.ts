import type { Run } from '../../src/index.ts';

/** What no model can make sense of: times as numbers, and values of JavaScript that got into a text. `null` in JSON is data. */
const unreadable: readonly RegExp[] = [
  /(?<![\d.])1[4-9]\d{11}(?!\d)/g,
  // That an agent delivered findings and there are none is its word.
  /(?<!\* \*\*Findings:\*\* )\(empty\)/g,
  /\[object \w+\]/g,
  /\bundefined\b/g,
  /\bNaN\b/g,
  /Invalid Date/g,
  /(?:\*\*|^[^"{}[\]]*:) ?null\b/gm,
];

/** Returns every place of the prompts of a run that reads badly, with the words around it. */
export function unreadablePlaces(run: Run): readonly string[] {
  const places = run.turns({ type: 'all' }).flatMap(({ turnId }) => {
    const text = (run.turn(turnId)?.prompt.spans ?? []).map((span) => span.text).join('');
    return unreadable.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index }) => `${turnId}: …${text.slice(Math.max(0, index - 60), index + 40)}…`),
    );
  });
  return [...new Set(places)];
}
