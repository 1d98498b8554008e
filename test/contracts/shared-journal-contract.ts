import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/core/ids.ts';
import type { Journal, SharedJournal } from '../../src/core/events/journal.ts';
import type { EventDraft } from '../../src/core/events/event.ts';
import { failure } from './journal-contract.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun, sampleTime } from './journal-samples.ts';

const over: EventDraft = { type: 'run.end', status: 'completed', outcome: 'success', output: '', deliverables: {} };

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

    it('an open run is not erased; one that has ended is, with its inputs and marks, and late commits are refused', async () => {
      const { journal, shared } = opened();
      const [runId, idle] = [sampleRun('erased'), sampleRun('idle')];
      const lease = await shared.acquire(runId, 'ours');
      await journal.append(lease, { ...sampleCommit(runId, 0, runBegin('first')), inputs: ['one'] });
      await shared.mark(runId, 'start c1.1');
      await failure('RUN_LOCKED', async () => await journal.erase?.(runId));
      await failure('RUN_LOCKED', async () => await journal.mark?.(runId, { deletedAt: 5 }));
      const waiting = await shared.acquire(idle, 'ours');
      const waits: EventDraft = { type: 'run.status', status: 'awaiting', pending: 0 };
      await journal.append(waiting, { ...sampleCommit(idle, 0, [...runBegin('idle'), waits]), inputs: ['one'] });
      await failure('RUN_LOCKED', async () => await journal.mark?.(idle, { deletedAt: 5 }));
      await failure('RUN_LOCKED', async () => await journal.erase?.(idle));
      await journal.append(lease, { ...sampleCommit(runId, 2, [over]), inputs: ['two'] });
      await journal.erase?.(runId);
      await failure('RUN_UNKNOWN', async () => await journal.read(runId));
      const late = { ...sampleCommit(runId, 3, [note('late')]), inputs: ['three'] };
      await failure('STORE_CONFLICT', async () => await journal.append(lease, late));
      await failure('STORE_CONFLICT', async () => await journal.append(lease, sampleCommit(runId, 0, runBegin('late'))));
      for (const input of ['one', 'two', 'three']) expect(await shared.hasApplied(runId, input)).toBe(false);
      expect(await shared.mark(runId, 'start c1.1')).toBe(true);
      expect(await shared.hasApplied(idle, 'one')).toBe(true);
      const next = await shared.acquire(runId, 'theirs');
      expect([next.epoch > lease.epoch, next.isInterrupted]).toEqual([true, false]);
      await journal.append(next, { ...sampleCommit(runId, 0, runBegin('next')), inputs: ['one'] });
      await journal.close();
    });

    it('forgets inputs and marks of runs that ended before a time, and of no other', async () => {
      const { journal, shared } = opened();
      const [ended, open, without] = [sampleRun('ended'), sampleRun('open'), sampleRun('without')];
      for (const [id, events] of [
        [ended, [...runBegin('a'), over]],
        [open, runBegin('b')],
      ] as const) {
        const lease = await shared.acquire(id, 'ours');
        await journal.append(lease, { ...sampleCommit(id, 0, events), inputs: ['one', 'two'] });
        await shared.mark(id, 'start c1.1');
      }
      await journal.append(await shared.acquire(without, 'ours'), sampleCommit(without, 0, [...runBegin('c'), over]));
      const known = async (id: RunId): Promise<boolean> => {
        const applied = [
          await shared.hasApplied(id, 'one'),
          await shared.hasApplied(id, 'two'),
          !(await shared.mark(id, 'start c1.1')),
        ];
        expect(new Set(applied).size).toBe(1);
        return applied[0] === true;
      };
      await shared.forget(sampleTime);
      expect([await known(ended), await known(open)]).toEqual([true, true]);
      await shared.forget(Number.MAX_SAFE_INTEGER);
      expect([await known(ended), await known(open)]).toEqual([false, true]);
      await shared.forget(Number.MAX_SAFE_INTEGER);
      await journal.close();
    });

    it('keeps a snapshot that any engine of the holder makes, and that of no other', async () => {
      const { journal, shared } = opened();
      if (journal.keepSnapshot === undefined || journal.snapshot === undefined) return journal.close();
      const runId = sampleRun('kept');
      const body = new Uint8Array([1]);
      const first = await shared.acquire(runId, 'ours');
      const second = await shared.acquire(runId, 'ours');
      await journal.append(first, sampleCommit(runId, 0, runBegin('a')));
      await journal.append(second, sampleCommit(runId, 2, [note('b')]));
      await journal.keepSnapshot(first, { seq: 2, layout: 'form', body });
      await journal.keepSnapshot(second, { seq: 3, layout: 'form', body });
      await journal.keepSnapshot({ ...second, epoch: second.epoch - 1 }, { seq: 2, layout: 'form', body });
      await journal.keepSnapshot({ ...second, owner: sampleOwner('process') }, { seq: 2, layout: 'form', body });
      expect((await journal.snapshot(runId))?.seq).toBe(3);
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

    it('lists runs that wait, but none that ended, when it is asked for all open ones', async () => {
      const { journal, shared } = opened();
      const open = async (name: string, events: Parameters<typeof sampleCommit>[2]): Promise<RunId> => {
        const runId = sampleRun(name);
        await journal.append(await shared.acquire(runId, 'open ones'), sampleCommit(runId, 0, [...runBegin('a'), ...events]));
        return runId;
      };
      const working = await open('working', []);
      const waiting = await open('waiting', [{ type: 'run.status', status: 'awaiting' }]);
      await open('over', [{ type: 'run.end', status: 'completed', outcome: 'success', output: '', deliverables: {} }]);
      const names = async (options?: { readonly orWaiting: boolean }): Promise<readonly RunId[]> =>
        (await shared.stalled('open ones', Number.MAX_SAFE_INTEGER, options)).map((run) => run.runId).toSorted();
      expect(await names()).toEqual([working]);
      expect(await names({ orWaiting: true })).toEqual([working, waiting].toSorted());
      await journal.close();
    });
  });
}
