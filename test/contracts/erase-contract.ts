import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/core/events/event.ts';
import type { ContentEntry, Journal, Lease } from '../../src/core/events/journal.ts';
import type { ContentHash, RunId } from '../../src/core/ids.ts';
import { addressOf } from '../../src/journal/codec/text-address.ts';
import { failure, type JournalPlace } from './journal-contract.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun } from './journal-samples.ts';

const over: EventDraft = { type: 'run.end', status: 'completed', outcome: 'success', output: '', deliverables: {} };

/** A text that is stored under its address. */
function stored(text: string): ContentEntry {
  return { hash: addressOf(text), text };
}

/** An event that refers to a text. */
function refersTo(text: string): EventDraft {
  return { type: 'toolset.update', toolset: 'web', tools: addressOf(text) };
}

/** Declares the tests of `erase` and `eraseLooseTexts` that every implementation of the `Journal` port must pass. */
export function eraseContract(name: string, make: () => JournalPlace): void {
  describe(`erasing runs: ${name}`, () => {
    let place: JournalPlace;
    let journal: Journal & Required<Pick<Journal, 'erase' | 'eraseLooseTexts' | 'mark'>>;
    const runId = sampleRun('run_1');

    beforeEach(() => {
      place = make();
      journal = open();
    });
    afterEach(async () => {
      await journal.close();
      place.remove();
    });

    function open(): typeof journal {
      const opened = place.open();
      if (opened.erase === undefined || opened.eraseLooseTexts === undefined || opened.mark === undefined)
        throw new Error(`${name} cannot erase runs`);
      return opened as typeof journal;
    }

    /** Writes a run that has ended and that nobody holds, with texts. */
    async function write(id: RunId, texts: readonly string[], end: readonly EventDraft[] = [over]): Promise<Lease> {
      const lease = await journal.acquire(id, sampleOwner('writer'));
      const contents = texts.map(stored);
      await journal.append(lease, sampleCommit(id, 0, [...runBegin('title'), ...texts.map(refersTo), ...end], { contents }));
      await journal.release(lease);
      return lease;
    }

    /** Returns a text, once the runs are read that may refer to it. */
    async function textOf(text: string): Promise<string | undefined> {
      for (const run of await journal.runs()) await journal.read(run.runId);
      return journal.content(addressOf(text));
    }

    it('erases a run: its events, its entry in the lists, its marks, and the texts that only it refers to', async () => {
      await write(runId, ['its own text', 'a shared text']);
      await write(sampleRun('run_2'), ['a shared text', 'another text']);
      await journal.mark(runId, { title: 'mine', project: 'p', deletedAt: 5 });
      await journal.erase(runId);
      await failure('RUN_UNKNOWN', () => journal.read(runId));
      expect(await journal.runs({ runId })).toEqual([]);
      expect(await journal.runs({ isDeleted: true })).toEqual([]);
      expect(await journal.runs()).toMatchObject([{ runId: 'run_2' }]);
      expect(await journal.eraseLooseTexts()).toBe(1);
      expect(await textOf('its own text')).toBeUndefined();
      expect(await textOf('a shared text')).toBe('a shared text');
      expect(await textOf('another text')).toBe('another text');
      expect(await journal.eraseLooseTexts()).toBe(0);
    });

    it('keeps a text until the last run that refers to it is erased', async () => {
      await write(runId, ['shared']);
      await write(sampleRun('run_2'), ['shared']);
      await journal.erase(runId);
      expect(await journal.eraseLooseTexts()).toBe(0);
      expect(await textOf('shared')).toBe('shared');
      await journal.erase(sampleRun('run_2'));
      expect(await journal.eraseLooseTexts()).toBe(1);
    });

    it('keeps what a kept text lists, as the log of a system prompt lists its segments', async () => {
      const log = JSON.stringify([{ id: 'rules', hash: addressOf('a segment') }]);
      await write(runId, [log, 'a segment']);
      // A fork refers to the log, and not to the segments.
      await write(sampleRun('fork'), [log]);
      await journal.erase(runId);
      expect(await journal.eraseLooseTexts()).toBe(0);
      await journal.erase(sampleRun('fork'));
      expect(await journal.eraseLooseTexts()).toBe(2);
    });

    it('erases what an interrupted call left', async () => {
      await write(runId, ['its own text']);
      await journal.erase(runId);
      await write(sampleRun('run_2'), ['another']);
      expect(await journal.eraseLooseTexts()).toBe(1);
    });

    it('refuses an open run, a held one and an unknown one, and erases nothing of it', async () => {
      await failure('RUN_UNKNOWN', () => journal.erase(runId));
      await failure('OPTION_INVALID', () => journal.erase('no/id' as RunId));
      await write(runId, ['kept'], []);
      expect((await failure('RUN_LOCKED', () => journal.erase(runId))).message).toMatch(/is running; only a run that has ended/);
      await write(sampleRun('run_2'), ['kept'], [{ type: 'run.status', status: 'awaiting', pending: 0 }]);
      await failure('RUN_LOCKED', () => journal.erase(sampleRun('run_2')));
      await journal.mark(sampleRun('run_2'), { deletedAt: 5 });
      await journal.erase(sampleRun('run_2'));
      await write(sampleRun('run_3'), ['kept']);
      const lease = await journal.acquire(sampleRun('run_3'), sampleOwner('holder'));
      const error = await failure('RUN_LOCKED', () => journal.erase(sampleRun('run_3')));
      expect(error.details).toMatchObject({ owner: sampleOwner('holder') });
      await journal.append(lease, sampleCommit(sampleRun('run_3'), 4, [note('late')]));
      expect(await journal.read(runId)).toHaveLength(3);
      expect(await journal.eraseLooseTexts()).toBe(0);
    });

    it('refuses late appends of an earlier holder, also when another run has the id', async () => {
      const late = await write(runId, []);
      await journal.erase(runId);
      await failure('STORE_CONFLICT', () => journal.append(late, sampleCommit(runId, 3, [note('late')])));
      await failure('STORE_CONFLICT', () => journal.append(late, sampleCommit(runId, 0, runBegin('late'))));
      const next = await journal.acquire(runId, sampleOwner('next'));
      expect(next.epoch).toBeGreaterThan(late.epoch);
      await journal.append(next, sampleCommit(runId, 0, runBegin('next')));
      await failure('STORE_CONFLICT', () => journal.append(late, sampleCommit(runId, 2, [note('late')])));
      expect(await journal.runs()).toMatchObject([{ runId, title: 'next', lastSeq: 2 }]);
    });

    it('never loses a text of a run that is written while texts are erased, in any order', async () => {
      const texts = Array.from({ length: 6 }, (_, index) => `text ${index}`);
      // The last one lists the first two.
      texts.push(JSON.stringify([addressOf('text 0'), addressOf('text 1')]));
      const choice = fc.subarray(texts, { minLength: 1, maxLength: 3 });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(choice, { minLength: 1, maxLength: 3 }),
          fc.array(choice, { maxLength: 4 }),
          async (old, news) => {
            const olds: RunId[] = [];
            for (const own of old) {
              runs += 1;
              olds.push(sampleRun(`old_${runs}`));
              await write(olds.at(-1) as RunId, own);
            }
            for (const id of olds) await journal.erase(id);
            const begun = news.map((own, index) => ({ own, id: sampleRun(`new_${runs}_${index}`) }));
            const erasing = journal.eraseLooseTexts();
            await Promise.all(
              begun.map(async ({ own, id }, index) => {
                for (let wait = 0; wait < 3 * index; wait += 1) await new Promise((resolve) => setImmediate(resolve));
                await write(id, own);
              }),
            );
            await erasing;
            for (const text of begun.flatMap(({ own }) => own)) expect(await textOf(text)).toBe(text);
            for (const { id } of begun) await journal.erase(id);
            await journal.eraseLooseTexts();
            for (const text of texts) expect(journal.content(addressOf(text) as ContentHash)).toBeUndefined();
            runs += 1;
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}
