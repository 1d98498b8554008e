import { expect, it } from 'vitest';
import { mutants, planted } from './mutants.ts';

it('every planted bug still has its place in the source', async () => {
  const names = await mutants();
  expect(names.length).toBeGreaterThanOrEqual(25);
  const fits = await Promise.allSettled(names.map(planted));
  expect(fits.flatMap((fit, index) => (fit.status === 'rejected' ? [`${names[index] ?? ''}: ${String(fit.reason)}`] : []))).toEqual(
    [],
  );
});
