import { expect, it } from 'vitest';
import { simulate } from './simulation.ts';

it('a run survives a crash at every moment at which it may crash', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const { moments, violations } = await simulate({ seed, calm: true });
    expect(violations, `seed ${seed}`).toEqual([]);
    for (let crashAt = 1; crashAt <= moments; crashAt++) {
      const crashed = await simulate({ seed, calm: true, crashAt });
      expect(crashed.violations, `seed ${seed}, crash at ${crashAt}`).toEqual([]);
      expect(crashed.isFaulted).toBe(true);
    }
  }
}, 120_000);
