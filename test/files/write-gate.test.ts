import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWriteGate } from '../../src/files/guard/guard-writes.ts';

it('lets writes run together and moves alone, whatever the order and however they end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.record({ alone: fc.boolean(), fails: fc.boolean() }), { maxLength: 12 }),
      async (scheduler, works) => {
        const gate = createWriteGate();
        const inside = { writes: 0, moves: 0, done: 0 };
        const work = (kind: 'writes' | 'moves', fails: boolean) => async (): Promise<void> => {
          inside[kind] += 1;
          expect(inside.moves === 0 || (inside.moves === 1 && inside.writes === 0)).toBe(true);
          await scheduler.schedule(Promise.resolve());
          inside[kind] -= 1;
          inside.done += 1;
          if (fails) throw new Error('meant to fail');
        };
        const ends = works.map(async ({ alone, fails }) => {
          await scheduler.schedule(Promise.resolve());
          await (alone ? gate.alone(work('moves', fails)) : gate.amongWrites(work('writes', fails)));
        });
        const all = Promise.allSettled(ends);
        await scheduler.waitFor(all);
        expect((await all).map(({ status }) => status)).toEqual(works.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
        expect(inside).toEqual({ writes: 0, moves: 0, done: works.length });
      },
    ),
  );
});

it('keeps writes together: one that waits for another is let in', async () => {
  const gate = createWriteGate();
  const { promise: second, resolve } = Promise.withResolvers<void>();
  await Promise.all([gate.amongWrites(async () => await second), gate.amongWrites(async () => resolve())]);
});
