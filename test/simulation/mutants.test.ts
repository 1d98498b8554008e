import { expect, it } from 'vitest';
import { mutants, planted } from './mutants.ts';

it('every planted bug still has its place in the source', async () => {
  const names = await mutants();
  const ofCluster = names.filter((name) => name.startsWith('cluster/'));
  expect([names.length - ofCluster.length >= 25, ofCluster.length >= 20]).toEqual([true, true]);
  const fits = await Promise.allSettled(names.map(planted));
  expect(fits.flatMap((fit, index) => (fit.status === 'rejected' ? [`${names[index] ?? ''}: ${String(fit.reason)}`] : []))).toEqual(
    [],
  );
});
