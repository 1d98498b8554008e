import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/core/ids.ts';
import type { Journal, SharedJournal } from '../../src/core/events/journal.ts';
import { note, sampleCommit, sampleOwner, sampleRun } from './journal-samples.ts';

/** What engines of one runtime rely on in a journal that they share. */
export function sharedJournalContract(name: string, open: () => Journal): void {
  const opened = (): { readonly journal: Journal; readonly shared: SharedJournal } => {
    const journal = open();
    if (journal.shared === undefined) throw new Error(`${name} is not shared`);
    return { journal, shared: journal.shared };
  };

  describe(`shared journal: ${name}`, () => {
    it('engines of one holder append in turn under one lease, and one that is late is refused', async () => {
      const { journal, shared } = opened();
      const runId = sampleRun('in-turn');
      const first = await shared.acquire(runId, 'ours');
      const second = await shared.acquire(runId, 'ours');
      expect([second.epoch, second.owner]).toEqual([first.epoch, first.owner]);
      await journal.append(first, sampleCommit(runId, 0, [note('a')]));
      await journal.append(second, sampleCommit(runId, 1, [note('b')]));
      await expect(async () => await journal.append(first, sampleCommit(runId, 1, [note('late')]))).rejects.toMatchObject({
        code: 'STORE_CONFLICT',
      });
      // Letting go of it changes nothing for the others.
      await journal.release(first);
      await journal.append(second, sampleCommit(runId, 2, [note('c')]));
      expect(await journal.read(runId)).toHaveLength(3);
      await journal.close();
    });

    it('an input is applied once: with its id again, nothing of a commit is written', async () => {
      const { journal, shared } = opened();
      const runId = sampleRun('once');
      const lease = await shared.acquire(runId, 'ours');
      expect(await shared.hasApplied(runId, 'one')).toBe(false);
      await journal.append(lease, { ...sampleCommit(runId, 0, [note('a')]), inputs: ['one', 'two'] });
      expect([await shared.hasApplied(runId, 'one'), await shared.hasApplied(runId, 'two')]).toEqual([true, true]);
      expect(await shared.hasApplied(sampleRun('other'), 'one')).toBe(false);
      const again = { ...sampleCommit(runId, 1, [note('b')]), inputs: ['three', 'two'] };
      await expect(async () => await journal.append(lease, again)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
      expect(await journal.read(runId)).toHaveLength(1);
      expect(await shared.hasApplied(runId, 'three')).toBe(false);
      await journal.append(lease, { ...sampleCommit(runId, 1, [note('c')]), inputs: ['three'] });
      await journal.close();
    });

    it('a mark is set by one alone, and is no input', async () => {
      const { journal, shared } = opened();
      const runId = sampleRun('marks');
      const set = await Promise.all(Array.from({ length: 5 }, async () => await shared.mark(runId, 'start c1.1')));
      expect(set.filter(Boolean)).toHaveLength(1);
      expect(await shared.mark(runId, 'start c1.2')).toBe(true);
      expect(await shared.hasApplied(runId, 'start c1.1')).toBe(false);
      await journal.close();
    });

    it('a run of another holder is refused both ways, and taken when it is free; then it says that it was interrupted', async () => {
      const { journal, shared } = opened();
      const runId = sampleRun('others');
      const own = await journal.acquire(runId, sampleOwner('process'));
      await journal.append(own, sampleCommit(runId, 0, [note('a')]));
      await expect(async () => await shared.acquire(runId, 'ours')).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await journal.release(own);
      const taken = await shared.acquire(runId, 'ours');
      expect([taken.epoch, taken.isInterrupted]).toEqual([own.epoch + 1, true]);
      await expect(async () => await journal.append(own, sampleCommit(runId, 1, [note('x')]))).rejects.toMatchObject({
        code: 'STORE_CONFLICT',
      });
      await journal.append(taken, sampleCommit(runId, 1, [note('b')]));
      expect((await shared.acquire(runId, 'ours')).isInterrupted).toBe(false);
      await expect(async () => await journal.acquire(runId, sampleOwner('process'))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await expect(async () => await shared.acquire(runId, 'theirs')).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await journal.close();
    });

    it('belongs to the first runtime that says so, until it is adopted', async () => {
      const { journal, shared } = opened();
      expect(await shared.id()).toBe(await shared.id());
      expect(await shared.runtime()).toBeUndefined();
      expect([await shared.runtime('one'), await shared.runtime('two'), await shared.runtime()]).toEqual(['one', 'one', 'one']);
      expect([await shared.runtime('two', { adopt: true }), await shared.runtime()]).toEqual(['two', 'two']);
      await journal.close();
    });

    it('lists runs of a holder that are at work without a new event', async () => {
      const { journal, shared } = opened();
      const runId = sampleRun('still');
      const lease = await shared.acquire(runId, 'ours');
      await journal.append(lease, sampleCommit(runId, 0, [note('a')]));
      const names = async (holder: string, at: number): Promise<readonly RunId[]> =>
        (await shared.stalled(holder, at)).map((run) => run.runId);
      expect(await names('ours', Number.MAX_SAFE_INTEGER)).toContain(runId);
      expect(await names('ours', 0)).toEqual([]);
      expect(await names('theirs', Number.MAX_SAFE_INTEGER)).toEqual([]);
      await journal.close();
    });
  });
}
