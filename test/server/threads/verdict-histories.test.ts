import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { VerdictWorld, type WorldAction } from './verdict-world.ts';

const pick = fc.nat({ max: 1_000 });
const bool = fc.boolean();

/** One thing that a person, a network or an operator does. */
const action: fc.Arbitrary<WorldAction> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('say'), client: fc.nat({ max: 1 }), words: pick }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('decide'), client: fc.nat({ max: 1 }), which: pick, approves: bool }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('page'), which: pick, approves: bool }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('agUi'), which: pick, approves: bool }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('both'), approves: bool, other: bool }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('resend'), which: pick }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('edit'), what: fc.constantFrom('gate', 'words'), n: pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fork'), at: pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart') }) },
) as fc.Arbitrary<WorldAction>;

it('F93, F94: whatever is sent again, forked, edited, stopped or restarted, a call runs only if its own asking was approved last', async () => {
  // The client of AG-UI prints each refusal.
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  const tally = { histories: 0, paid: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(action, { minLength: 6, maxLength: 24 }), async (seed, actions) => {
      const world = await VerdictWorld.open(seed);
      try {
        await world.say(0, 'Begin.');
        for (const next of actions) await world.do(next);
        expect(await world.problems()).toEqual([]);
        tally.histories += 1;
        tally.paid += world.paid.length;
        tally.refused += world.refusals;
      } finally {
        await world.close();
      }
    }),
    {
      numRuns: Number(process.env['HISTORIES'] ?? 40),
      ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }),
    },
  );
  // Histories in which nothing is paid, or nothing comes too late, would show nothing.
  expect(tally.paid).toBeGreaterThan(tally.histories / 4);
  expect(tally.refused).toBeGreaterThan(tally.histories / 4);
}, 240_000);
