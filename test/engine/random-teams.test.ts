import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/index.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { RandomRun } from '../support/random-run.ts';
import { deciderCount, randomProfiles, reply, step } from '../support/random-team.ts';
import { verifyRun } from '../support/verify-run.ts';

/** Runs one random team after another over journals of one kind, and checks everything that can be checked afterwards. */
async function property(open: () => Journal, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { maxLength: 14 }),
      fc.array(step, { maxLength: 14 }),
      fc.tuple(fc.nat(deciderCount - 1), fc.nat(deciderCount - 1)),
      async (replies, steps, [root, worker]) => {
        const random = new RandomRun({ replies, profiles: randomProfiles(root, worker), journal: open() });
        await random.start();
        for (const next of steps) await random.take(next);
        await random.settle();
        await verifyRun(random.run, random.journal, { requests: random.requests, repeatable: new Set(['pure']) });
        for (const [callId, count] of random.ran) {
          const name = random.run
            .turns()
            .flatMap((turn) => turn.toolInteractions)
            .find((made) => made.callId === callId)?.name;
          if (name !== 'pure') expect(count, `I5: ${name ?? callId}`).toBe(1);
        }
        await random.close();
      },
    ),
    { numRuns },
  );
}

describe('whatever models say, tools do and people send, whenever, and however often the engine is stopped and started', () => {
  it('I1–I12 hold, in memory', async () => {
    await property(createMemoryJournal, Number(process.env['RANDOM_RUNS'] ?? 120));
  }, 300_000);

  it('I1–I12 hold, in a file', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-random-'));
    let count = 0;
    const journals: Journal[] = [];
    const open = (): Journal => {
      const journal = createSqliteJournal(path.join(folder, `journal-${++count}.db`));
      journals.push(journal);
      return journal;
    };
    try {
      await property(open, Number(process.env['RANDOM_RUNS'] ?? 200) / 10);
    } finally {
      for (const journal of journals) await journal.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);
});
