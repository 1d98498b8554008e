import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, CadreError } from '../../src/core/error.ts';
import type { EventDraft } from '../../src/core/events/event.ts';
import type { AgentId, ContentHash } from '../../src/core/ids.ts';
import type { Commit, Journal, Lease, RunMarks, RunsFilter } from '../../src/core/events/journal.ts';
import {
  note,
  placed,
  runBegin,
  sampleCommit,
  sampleContent,
  sampleOwner,
  sampleRun,
  sampleTime,
  toolTurn,
} from './journal-samples.ts';

/** A fresh place for a journal, for one test. */
export interface JournalPlace {
  /** Opens the journal of this place. */
  open(): Journal;
  /** Removes the place. */
  remove(): void;
}

/** Expects an action, synchronous or not, to fail with this code, and returns the error. */
export async function failure(code: ErrorCode, action: () => unknown): Promise<CadreError> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    expect(error.code, error.message).toBe(code);
    return error;
  }
  throw new Error(`expected a failure with ${code}`);
}

/** Declares the tests that every implementation of the `Journal` port must pass. */
export function journalContract(name: string, make: () => JournalPlace): void {
  describe(`journal contract: ${name}`, () => {
    let place: JournalPlace;
    let journal: Journal;
    const runId = sampleRun('run_1');

    beforeEach(() => {
      place = make();
      journal = place.open();
    });
    afterEach(async () => {
      await journal.close();
      place.remove();
    });

    async function append(
      lease: Lease,
      expectedSeq: number,
      drafts: readonly EventDraft[],
      rest: Partial<Commit> = {},
    ): Promise<void> {
      await journal.append(lease, { ...sampleCommit(lease.runId, expectedSeq, drafts), ...rest });
    }

    describe('append and read', () => {
      it('reads back what was appended, in order and equal', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        const [asked, answered] = toolTurn(1);
        await append(lease, 0, runBegin('first'));
        await append(lease, 2, asked);
        await append(lease, 6, answered, { sync: true });
        expect(await journal.read(runId)).toStrictEqual(placed(runId, 0, [...runBegin('first'), ...asked, ...answered]));
      });

      it('reads from a sequence number, at most so many, from the middle of a commit too', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, ['1', '2', '3'].map(note));
        await append(lease, 3, ['4', '5', '6'].map(note));
        const read = async (after: number, limit?: number) =>
          (await journal.read(runId, limit === undefined ? { after } : { after, limit })).map((event) => event.seq);
        expect(await read(0)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(await read(2)).toEqual([3, 4, 5, 6]);
        expect(await read(3, 2)).toEqual([4, 5]);
        expect(await read(2, 2)).toEqual([3, 4]);
        expect(await read(1, 0)).toEqual([]);
        expect(await read(6)).toEqual([]);
        expect(await read(600)).toEqual([]);
      });

      it('appends a commit of thousands of events whole, or nothing of it', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        const end: EventDraft = { type: 'run.end', status: 'completed', outcome: 'success', output: '', deliverables: {} };
        const many = [...runBegin('first'), ...Array.from({ length: 2_500 }, (_, index) => note(`${index}`)), end];
        const contents = [sampleContent('never', 'stored')];
        await failure('STORE_CONFLICT', () => append(lease, 1, many, { contents }));
        await failure('RUN_UNKNOWN', () => journal.read(runId));
        expect(journal.content('never' as ContentHash)).toBeUndefined();
        await append(lease, 0, many, { contents });
        const all = placed(runId, 0, many);
        expect(await journal.read(runId)).toStrictEqual(all);
        expect(await journal.read(runId, { after: 998, limit: 4 })).toStrictEqual(all.slice(998, 1_002));
        expect(await journal.runs()).toMatchObject([{ title: 'first', status: 'completed', lastSeq: many.length, agents: 1 }]);
      });

      it('syncs what was appended, for all who ask, also with nothing appended yet', async () => {
        await journal.sync?.();
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, runBegin('first'));
        await Promise.all([journal.sync?.(), journal.sync?.()]);
        expect(await journal.read(runId)).toHaveLength(2);
      });

      it('refuses a commit at a stale sequence number and writes nothing of it', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, runBegin('first'));
        for (const expectedSeq of [0, 1, 3]) {
          const contents = [sampleContent('never', 'stored')];
          const error = await failure('STORE_CONFLICT', () => append(lease, expectedSeq, [note('late')], { contents }));
          expect(error.details).toMatchObject({ runId, expectedSeq, lastSeq: 2 });
        }
        expect(await journal.read(runId)).toHaveLength(2);
        expect(await journal.content('never' as ContentHash)).toBeUndefined();
        expect((await journal.runs())[0]?.lastSeq).toBe(2);
      });

      it('refuses a first commit that does not begin at 0, and no run comes of it', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await failure('STORE_CONFLICT', () => append(lease, 4, [note('late')]));
        await failure('RUN_UNKNOWN', () => journal.read(runId));
        expect(await journal.runs()).toEqual([]);
      });

      it('refuses gaps, foreign events, foreign leases and empty commits', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        const [first] = placed(runId, 0, [note('1')]);
        const [third] = placed(runId, 2, [note('3')]);
        const [foreign] = placed(sampleRun('run_2'), 0, [note('1')]);
        if (first === undefined || third === undefined || foreign === undefined) throw new Error('no samples');
        const bad: Partial<Commit>[] = [
          { events: [first, third] },
          { events: [third] },
          { events: [first, first] },
          { events: [foreign] },
          { events: [] },
          { expectedSeq: 0.5 },
          { expectedSeq: -1 },
          { runId: sampleRun('run_2'), events: [foreign] },
          { contents: [sampleContent('no/hash', 'x')] },
        ];
        for (const part of bad) await failure('OPTION_INVALID', () => append(lease, 0, [note('1')], part));
        await failure('RUN_UNKNOWN', () => journal.read(runId));
      });

      it('knows no run that was only acquired', async () => {
        await journal.acquire(runId, sampleOwner('a'));
        const error = await failure('RUN_UNKNOWN', () => journal.read(runId));
        expect(error.message).toContain('run_1');
        await failure('RUN_UNKNOWN', () => journal.read(sampleRun('run_9'), { after: 3 }));
      });

      it('refuses ids and ranges that are none', async () => {
        for (const id of ['', 'a b', "x'; DROP TABLE runs; --", 'a/b', 'x'.repeat(101)]) {
          await failure('OPTION_INVALID', () => journal.acquire(sampleRun(id), sampleOwner('a')));
          await failure('OPTION_INVALID', () => journal.read(sampleRun(id)));
        }
        for (const range of [{ after: -1 }, { after: 1.5 }, { limit: -1 }, { limit: Number.NaN }]) {
          await failure('OPTION_INVALID', () => journal.read(runId, range));
        }
      });

      it('keeps runs apart', async () => {
        const other = sampleRun('run_2');
        const one = await journal.acquire(runId, sampleOwner('a'));
        const two = await journal.acquire(other, sampleOwner('a'));
        await append(one, 0, runBegin('one'));
        await append(two, 0, runBegin('two'));
        await append(one, 2, [note('one')]);
        await append(two, 2, [note('two')]);
        expect(await journal.read(runId, { after: 2 })).toMatchObject([{ runId, seq: 3, message: 'one' }]);
        expect(await journal.read(other, { after: 2 })).toMatchObject([{ runId: other, seq: 3, message: 'two' }]);
      });

      it('fails with STORE_FAILED once it is closed, and may be closed twice', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await journal.close();
        await journal.close();
        await failure('STORE_FAILED', () => append(lease, 0, [note('1')]));
        await failure('STORE_FAILED', () => journal.read(runId));
        await failure('STORE_FAILED', () => journal.runs());
        await failure('STORE_FAILED', () => journal.content('x' as ContentHash));
        await failure('STORE_FAILED', () => journal.acquire(runId, sampleOwner('b')));
      });
    });

    describe('contents', () => {
      it('keeps a text once under its hash, and knows none for others', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, [note('1')], {
          contents: [sampleContent('h1', 'one'), sampleContent('h2', ''), sampleContent('h1', 'one')],
        });
        await append(lease, 1, [note('2')], { contents: [sampleContent('h1', 'one')] });
        expect(await journal.content('h1' as ContentHash)).toBe('one');
        expect(await journal.content('h2' as ContentHash)).toBe('');
        expect(await journal.content('h3' as ContentHash)).toBeUndefined();
      });

      it.each(['with\0nul', 'lone \ud800 surrogate', '\udc00', '😀 ünï', '\ufeffbom', ' \r\n\t'])(
        'gives back %j as it was',
        async (text) => {
          const lease = await journal.acquire(runId, sampleOwner('a'));
          await append(lease, 0, [note('1')], { contents: [sampleContent('h', text)] });
          expect(await journal.content('h' as ContentHash)).toBe(text);
        },
      );
    });

    describe('what people say of runs', () => {
      const mark = async (id: string, change: RunMarks) => await journal.mark?.(sampleRun(id), change);
      const listed = async (filter?: RunsFilter) => (await journal.runs(filter)).map((run) => run.title);
      beforeEach(async () => {
        for (const name of ['a', 'b', 'c']) {
          const lease = await journal.acquire(sampleRun(name), sampleOwner('a'));
          await append(lease, 0, runBegin(name));
          await journal.release(lease);
        }
      });

      it('a title, a project and a deletion are in its summary at once, and are taken back', async () => {
        await mark('a', { title: 'Tea', project: 'drinks' });
        await mark('b', { project: 'drinks' });
        expect((await journal.runs({ runId: sampleRun('a') }))[0]).toMatchObject({ title: 'Tea', project: 'drinks', lastSeq: 2 });
        expect((await listed({ project: 'drinks' })).toSorted()).toEqual(['Tea', 'b']);
        await mark('a', { title: null });
        await mark('b', { project: null });
        expect(await listed({ project: 'drinks' })).toEqual(['a']);
        expect((await journal.runs({ runId: sampleRun('b') }))[0]).not.toHaveProperty('project');
      });

      it('a deleted run is in no list but its own, and is not acquired; nothing of it is gone', async () => {
        const before = await journal.read(sampleRun('a'));
        await mark('a', { deletedAt: 5, project: 'drinks' });
        expect((await listed()).toSorted()).toEqual(['b', 'c']);
        expect(await listed({ isOpen: true })).not.toContain('a');
        expect(await listed({ project: 'drinks' })).toEqual([]);
        expect(await journal.runs({ isDeleted: true })).toMatchObject([{ title: 'a', project: 'drinks', deletedAt: 5 }]);
        expect(await journal.runs({ runId: sampleRun('a') })).toMatchObject([{ deletedAt: 5 }]);
        expect(await journal.read(sampleRun('a'))).toEqual(before);
        await failure('RUN_DELETED', () => journal.acquire(sampleRun('a'), sampleOwner('b')));
        await mark('a', { deletedAt: null });
        expect((await listed()).toSorted()).toEqual(['a', 'b', 'c']);
        await journal.release(await journal.acquire(sampleRun('a'), sampleOwner('b')));
      });

      it('a run that somebody has takes a title and a project, and is not deleted before it is over', async () => {
        const lease = await journal.acquire(sampleRun('a'), sampleOwner('a'));
        await mark('a', { title: 'Tea', project: 'drinks' });
        await failure('RUN_LOCKED', () => mark('a', { deletedAt: 5 }));
        expect(await listed({ project: 'drinks' })).toEqual(['Tea']);
        await append(lease, 2, [{ type: 'run.end', status: 'completed', outcome: 'success', output: '', deliverables: {} }]);
        await mark('a', { deletedAt: 5 });
        expect(await listed({ project: 'drinks' })).toEqual([]);
        // The holder may still record late results.
        await append(lease, 3, [note('late')]);
        expect(await journal.read(sampleRun('a'))).toHaveLength(4);
      });

      it('nothing is said of a run there is not', async () => {
        await failure('RUN_UNKNOWN', () => mark('nobody', { title: 'x' }));
      });
    });

    describe('list of runs', () => {
      it('shows what each commit changed', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, runBegin('A title', 'Principal'));
        const begun = {
          runId,
          title: 'A title',
          profile: 'Principal',
          status: 'running',
          createdAt: sampleTime,
          updatedAt: sampleTime + 1000,
          lastSeq: 2,
          agents: 1,
          turns: 0,
          inputTokens: 0,
          outputTokens: 0,
          cost: 0,
          costAtLeast: 0,
          costUnknown: false,
          pending: 0,
        };
        expect(await journal.runs()).toEqual([begun]);
        const [asked, answered] = toolTurn(1);
        await append(lease, 2, asked);
        await append(lease, 6, answered);
        await append(lease, 10, [{ type: 'run.status', status: 'awaiting' }]);
        const idle = {
          ...begun,
          status: 'idle',
          updatedAt: sampleTime + 10_000,
          lastSeq: 11,
          turns: 1,
          inputTokens: 100,
          outputTokens: 20,
          cost: null,
          costUnknown: true,
        };
        expect(await journal.runs()).toEqual([idle]);
        await append(lease, 11, [{ type: 'run.status', status: 'awaiting', pending: 2 }]);
        const awaiting = { ...idle, status: 'awaiting', pending: 2, updatedAt: sampleTime + 11_000, lastSeq: 12 };
        expect(await journal.runs()).toEqual([awaiting]);
        await append(lease, 12, [
          { type: 'run.status', status: 'running', pending: 1 },
          { type: 'run.end', status: 'failed', outcome: 'limit', output: '', deliverables: {} },
        ]);
        const ended = { ...idle, status: 'failed', outcome: 'limit', updatedAt: sampleTime + 13_000, lastSeq: 14 };
        expect(await journal.runs()).toEqual([ended]);
      });

      it('adds up what model calls and summaries have cost, and knows when one had no price', async () => {
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, runBegin('A title', 'Principal'));
        const priced = (cost: number): readonly EventDraft[] =>
          toolTurn(1)[0].map((event) => (event.type === 'model.end' ? { ...event, cost } : event));
        await append(lease, 2, priced(0.25));
        expect(await journal.runs()).toMatchObject([{ cost: 0.25, costUnknown: false }]);
        await append(lease, 6, [
          {
            type: 'compaction.end',
            agentId: 'Partner_1' as AgentId,
            compactionId: 'k1',
            from: 0,
            to: 1,
            usage: { inputTokens: 10, outputTokens: 5 },
            cost: 0.5,
            attempts: [],
          },
        ]);
        expect(await journal.runs()).toMatchObject([{ cost: 0.75, costUnknown: false, inputTokens: 110, outputTokens: 25 }]);
        await append(lease, 7, toolTurn(1)[0]);
        expect(await journal.runs()).toMatchObject([{ cost: null, costAtLeast: 0.75, costUnknown: true }]);
        await append(lease, 11, priced(0.25));
        expect(await journal.runs()).toMatchObject([{ cost: null, costAtLeast: 1, costUnknown: true }]);
      });

      it('has one run, those that are not over, or the newest, when it is asked for them', async () => {
        for (const [index, name] of ['run_a', 'run_b', 'run_c', 'run_d'].entries()) {
          const lease = await journal.acquire(sampleRun(name), sampleOwner('a'));
          const events = placed(lease.runId, 0, runBegin(name)).map((event) => ({ ...event, at: event.at + index }));
          await append(lease, 0, [], { events });
          if (name === 'run_b') await append(lease, 2, [{ type: 'run.status', status: 'awaiting' }]);
          if (name === 'run_c')
            await append(lease, 2, [{ type: 'run.end', status: 'completed', outcome: 'completed', output: '', deliverables: {} }]);
        }
        const ids = async (filter: RunsFilter): Promise<readonly string[]> => (await journal.runs(filter)).map((run) => run.runId);
        expect(await ids({ runId: sampleRun('run_c') })).toEqual(['run_c']);
        expect(await ids({ runId: sampleRun('run_x') })).toEqual([]);
        expect(await ids({ isOpen: true })).toEqual(['run_d', 'run_b', 'run_a']);
        expect(await ids({ limit: 2 })).toEqual(['run_d', 'run_c']);
        expect(await ids({ isOpen: true, limit: 2 })).toEqual(['run_d', 'run_b']);
        expect(await ids({ runId: sampleRun('run_c'), isOpen: true })).toEqual([]);
      });

      it('has the newest run first', async () => {
        for (const [index, name] of ['run_a', 'run_b', 'run_c'].entries()) {
          const lease = await journal.acquire(sampleRun(name), sampleOwner('a'));
          const events = placed(lease.runId, 0, runBegin(name)).map((event) => ({
            ...event,
            at: event.at + (index === 1 ? 9 : 5),
          }));
          await append(lease, 0, [], { events });
        }
        expect((await journal.runs()).map((run) => run.runId)).toEqual(['run_b', 'run_c', 'run_a']);
      });

      it('has a fork at the time of the fork, though its first events are those of its original', async () => {
        for (const [name, forkedAt] of [
          ['run_fork', sampleTime + 9],
          ['run_original', undefined],
          ['run_later', undefined],
        ] as const) {
          const lease = await journal.acquire(sampleRun(name), sampleOwner('a'));
          const events = placed(lease.runId, 0, runBegin(name)).map((event) => ({
            ...event,
            at: event.at + (name === 'run_later' ? 5 : 0),
            ...(event.type === 'run.start' && forkedAt !== undefined
              ? { parentRun: { runId: sampleRun('run_original'), at: 1, forkedAt } }
              : {}),
          }));
          await append(lease, 0, [], { events });
        }
        const listed = await journal.runs();
        expect(listed.map((run) => run.runId)).toEqual(['run_fork', 'run_later', 'run_original']);
        expect(listed.map(({ createdAt }) => createdAt - sampleTime)).toEqual([9, 5, 0]);
      });

      it('is empty for a new journal', async () => {
        expect(await journal.runs()).toEqual([]);
      });
    });

    describe('snapshots', () => {
      it('keeps one for each run, of one of its commits, for the holder of its lease, until the run is erased', async () => {
        if (journal.keepSnapshot === undefined || journal.snapshot === undefined) return;
        const snapshot = (seq: number) => ({ seq, layout: 'form 1', body: new Uint8Array([seq, 0, 255]) });
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await journal.keepSnapshot(lease, snapshot(2));
        expect(await journal.snapshot(runId)).toBeUndefined();
        await append(lease, 0, runBegin('first'));
        await append(lease, 2, ['3', '4'].map(note));
        await journal.keepSnapshot(lease, snapshot(2));
        const found = await journal.snapshot(runId);
        expect(found && { ...found, body: [...found.body] }).toEqual({ seq: 2, layout: 'form 1', body: [2, 0, 255] });
        await journal.keepSnapshot(lease, snapshot(4));
        await journal.keepSnapshot(lease, snapshot(3));
        expect((await journal.snapshot(runId))?.seq).toBe(4);
        expect(await journal.snapshot(sampleRun('run_2'))).toBeUndefined();
        await journal.keepSnapshot(lease, undefined);
        expect(await journal.snapshot(runId)).toBeUndefined();
        await journal.release(lease);
        await journal.keepSnapshot(lease, snapshot(4));
        expect(await journal.snapshot(runId)).toBeUndefined();
        const next = await journal.acquire(runId, sampleOwner('b'));
        await journal.keepSnapshot(next, snapshot(4));
        await journal.keepSnapshot(lease, snapshot(2));
        expect((await journal.snapshot(runId))?.seq).toBe(4);
        await journal.release(next);
        await journal.mark?.(runId, { deletedAt: 5 });
        await journal.erase?.(runId);
        expect(await journal.snapshot(runId)).toBeUndefined();
      });

      it('keeps the parts that a snapshot names, for the holder of its lease, until the snapshot is dropped or the run is erased', async () => {
        if (journal.keepSnapshotPart === undefined || journal.snapshotParts === undefined) return;
        const body = (byte: number): Uint8Array => new Uint8Array([byte, 0, 255]);
        const text = (number: number): string => JSON.stringify({ number, said: 'é\0\ud83d\ude00' });
        const kept = async (): Promise<unknown> =>
          Object.fromEntries(
            [...((await journal.snapshotParts?.(runId)) ?? [])].map(([name, found]) => {
              const { number } = JSON.parse(found) as { readonly number: number };
              expect(found).toBe(text(number));
              return [name, number];
            }),
          );
        const lease = await journal.acquire(runId, sampleOwner('a'));
        await append(lease, 0, runBegin('first'));
        expect(await kept()).toEqual({});
        for (const [name, byte] of [
          ['A 0', 1],
          ['A 1', 2],
          ['B 0', 3],
          ['A 1', 4],
        ] as const)
          await journal.keepSnapshotPart(lease, name, text(byte));
        expect(await kept()).toEqual({ 'A 0': 1, 'A 1': 4, 'B 0': 3 });
        await journal.keepSnapshot?.(lease, { seq: 2, layout: 'form 1', body: body(0), parts: ['A 0', 'A 1'] });
        expect(await kept()).toEqual({ 'A 0': 1, 'A 1': 4 });
        expect((await journal.snapshotParts(sampleRun('run_2'))).size).toBe(0);
        await journal.release(lease);
        await journal.keepSnapshotPart(lease, 'A 0', text(9));
        expect(await kept()).toEqual({ 'A 0': 1, 'A 1': 4 });
        const next = await journal.acquire(runId, sampleOwner('b'));
        await journal.keepSnapshot?.(lease, { seq: 2, layout: 'form 1', body: body(0), parts: [] });
        expect(await kept()).toEqual({ 'A 0': 1, 'A 1': 4 });
        await journal.keepSnapshot?.(next, undefined);
        expect(await kept()).toEqual({});
        await journal.keepSnapshotPart(next, 'A 0', text(5));
        await journal.release(next);
        await journal.mark?.(runId, { deletedAt: 5 });
        await journal.erase?.(runId);
        expect(await kept()).toEqual({});
      });
    });

    describe('leases', () => {
      it('gives a higher epoch each time, over other runs and releases', async () => {
        const epochs: number[] = [];
        for (let round = 0; round < 3; round += 1) {
          const lease = await journal.acquire(runId, sampleOwner(`a${round}`));
          epochs.push(lease.epoch);
          await journal.release(lease);
        }
        expect(epochs[1]).toBeGreaterThan(epochs[0] ?? Infinity);
        expect(epochs[2]).toBeGreaterThan(epochs[1] ?? Infinity);
      });

      it('refuses a run that somebody alive holds, and names the holder', async () => {
        await journal.acquire(runId, sampleOwner('first'));
        for (const nonce of ['second', 'first']) {
          const error = await failure('RUN_LOCKED', () => journal.acquire(runId, sampleOwner(nonce)));
          expect(error.details).toMatchObject({ runId, owner: sampleOwner('first') });
          expect(error.details['since']).toBeTypeOf('number');
          expect(error.message).toContain(sampleOwner('first'));
        }
        await journal.acquire(sampleRun('run_2'), sampleOwner('second'));
      });

      it('refuses an append after the lease was released, and after somebody else took it (I8)', async () => {
        const old = await journal.acquire(runId, sampleOwner('old'));
        await append(old, 0, runBegin('first'));
        await journal.release(old);
        await failure('STORE_CONFLICT', () => append(old, 2, [note('late')]));
        const next = await journal.acquire(runId, sampleOwner('next'));
        const error = await failure('STORE_CONFLICT', () =>
          append(old, 2, [note('late')], { contents: [sampleContent('never', 'x')] }),
        );
        expect(error.details).toMatchObject({ epoch: old.epoch, currentEpoch: next.epoch, currentOwner: sampleOwner('next') });
        expect(await journal.content('never' as ContentHash)).toBeUndefined();
        await append(next, 2, [note('on time')]);
        expect(await journal.read(runId, { after: 2 })).toMatchObject([{ message: 'on time' }]);
      });

      it('tells whether a lease is still the run’s', async () => {
        const old = await journal.acquire(runId, sampleOwner('old'));
        expect(await journal.holds?.(old)).toBe(true);
        await journal.release(old);
        expect(await journal.holds?.(old)).toBe(false);
        const next = await journal.acquire(runId, sampleOwner('next'));
        expect([await journal.holds?.(old), await journal.holds?.(next)]).toEqual([false, true]);
      });

      it('refuses a first commit without the lease', async () => {
        const lease: Lease = { runId, owner: sampleOwner('a'), epoch: 1 };
        await failure('STORE_CONFLICT', () => append(lease, 0, [note('1')]));
        await journal.acquire(runId, sampleOwner('b'));
        await failure('STORE_CONFLICT', () => append(lease, 0, [note('1')]));
        expect(await journal.runs()).toEqual([]);
      });

      it('does nothing when a lease is released that is not held any more', async () => {
        const old = await journal.acquire(runId, sampleOwner('old'));
        await journal.release(old);
        const next = await journal.acquire(runId, sampleOwner('next'));
        await journal.release(old);
        await append(next, 0, [note('1')]);
        await failure('RUN_LOCKED', () => journal.acquire(runId, sampleOwner('third')));
      });

      it('refuses owners of another form', async () => {
        for (const owner of [
          '',
          'me',
          '12@host',
          '0@host#x',
          '-1@host#x',
          '12@#x',
          '12@host#',
          'a@host#x',
          `12@host#${'x'.repeat(101)}`,
        ]) {
          await failure('OPTION_INVALID', () => journal.acquire(runId, owner));
        }
      });
    });
  });
}
