import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveTrials, fisherWorse, holm, signFlipWorse, wilson } from '../../../src/testing/evals/score/statistics.ts';

describe('the intervals and probabilities of an eval', () => {
  it('gives the published Wilson interval', () => {
    // Wilson 95 % for 8 of 10 and 0 of 10, as in Brown, Cai and DasGupta (2001).
    expect(wilson(0.8, 10).low).toBeCloseTo(0.4902, 3);
    expect(wilson(0.8, 10).high).toBeCloseTo(0.9433, 3);
    expect(wilson(0, 10).low).toBe(0);
    expect(wilson(0, 10).high).toBeCloseTo(0.2775, 3);
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it("gives the published probabilities of Fisher's exact test", () => {
    // The lady tasting tea: 3 of 4 and 1 of 4 has the one-sided probability 17/70; 4 of 4 and 0 of 4, 1/70.
    expect(fisherWorse({ passed: 3, runs: 4 }, { passed: 1, runs: 4 })).toBeCloseTo(17 / 70, 10);
    expect(fisherWorse({ passed: 4, runs: 4 }, { passed: 0, runs: 4 })).toBeCloseTo(1 / 70, 10);
    expect(fisherWorse({ passed: 1, runs: 1 }, { passed: 0, runs: 1 })).toBeCloseTo(0.5, 10);
  });

  it('counts the assignments of signs: five cases that all got worse are 1 of 32', () => {
    expect(signFlipWorse([-1, -1, -1, -1, -1, 0, 0])).toBe(1 / 32);
    expect(signFlipWorse([0, 0])).toBe(1);
    expect(signFlipWorse(Array.from({ length: 20 }, () => -1))).toBeLessThan(0.001);
    expect(signFlipWorse(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 1 : -1)))).toBeGreaterThan(0.4);
  });

  it('counts repeats as far as they differ: between the number of cases and the number of runs', () => {
    expect(
      effectiveTrials([
        [1, 1, 1],
        [0, 0, 0],
        [1, 1, 1],
      ]),
    ).toBeCloseTo(3, 10);
    expect(effectiveTrials([[1], [0], [1]])).toBe(3);
    expect(
      effectiveTrials([
        [1, 1],
        [1, 1],
      ]),
    ).toBe(2);
    const group = fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 8 }), (groups) => {
        const trials = effectiveTrials(groups);
        expect(trials).toBeGreaterThanOrEqual(groups.length - 1e-9);
        expect(trials).toBeLessThanOrEqual(groups.flat().length + 1e-9);
      }),
    );
  });

  it('looks at several cases together', () => {
    expect(holm([0.01, 0.04, 0.03])).toEqual([true, false, false]);
    expect(holm([0.04])).toEqual([true]);
    expect(holm(Array.from({ length: 40 }, () => 0.03))).not.toContain(true);
  });
});
