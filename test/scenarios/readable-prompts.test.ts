import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { furnishedWorkspace, openShipped, shippedProfiles } from './shipped-runs.ts';

const profiles = await shippedProfiles();
const question = 'Within how many days may a kettle be returned? Run `echo 30`.\nimage_path: kite.png';

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

/** Every place of the prompts of a run that reads badly, with the words around it. */
function badPlaces(run: Run): readonly string[] {
  const places = run.turns({ type: 'all' }).flatMap(({ turnId }) => {
    const text = (run.turn(turnId)?.prompt.spans ?? []).map((span) => span.text).join('');
    return unreadable.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index }) => `${turnId}: …${text.slice(Math.max(0, index - 60), index + 40)}…`),
    );
  });
  return [...new Set(places)];
}

describe('F35: what models read', { timeout: 60_000 }, () => {
  it.each(profiles)('$team/$name: no times as numbers, no empty fields, no values of code', async ({ team, name }) => {
    const engine = await openShipped({ team }, { workspace: furnishedWorkspace(), store: createMemoryJournal() });
    const run = await engine.launch({ profile: name, input: question });
    await run.settled();
    expect(run.turns({ type: 'all' }).length).toBeGreaterThan(0);
    expect(badPlaces(run)).toEqual([]);
  });
});
