import { expect, it } from 'vitest';
import { simulate } from './simulation.ts';

const runs = 500;

it(`I1–I12 hold in ${runs} runs with faults everywhere, whatever the order of things`, async () => {
  for (let seed = 1; seed <= runs; seed++) expect((await simulate({ seed })).violations, `seed ${seed}`).toEqual([]);
}, 120_000);

it('the same seed replays identically', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const first = await simulate({ seed });
    expect((await simulate({ seed })).journal).toBe(first.journal);
  }
});
