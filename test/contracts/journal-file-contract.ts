import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ContentHash } from '../../src/core/ids.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { failure } from './journal-contract.ts';
import { JournalProcess } from './journal-process.ts';
import { note, placed, runBegin, sampleCommit, sampleContent, sampleOwner, sampleRun, toolTurn } from './journal-samples.ts';

type Open = (path: string, options?: { readonly readOnly?: boolean; readonly takeOver?: boolean }) => Journal;

/** A fresh place that several processes can open: a path or URL. */
interface SharedPlace {
  readonly file: string;
  remove(): void;
}

function newFile(): SharedPlace {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-journal-'));
  return { file: join(directory, 'journal.db'), remove: () => rmSync(directory, { recursive: true }) };
}

/**
 * Declares the tests for journals that processes share, in addition to `journalContract`: several journals, several processes, killed
 * processes.
 */
export function journalFileContract(name: string, open: Open, newPlace: () => SharedPlace = newFile): void {
  describe(`journal file contract: ${name}`, () => {
    let place: SharedPlace;
    let file: string;
    const opened: Journal[] = [];
    const processes: JournalProcess[] = [];
    const runId = sampleRun('run_1');

    beforeEach(() => {
      place = newPlace();
      file = place.file;
    });
    afterEach(async () => {
      for (const child of processes.splice(0)) await child.kill();
      for (const journal of opened.splice(0)) await journal.close();
      place.remove();
    });

    function openOne(options: Parameters<Open>[1] = {}): Journal {
      const journal = open(file, options);
      opened.push(journal);
      return journal;
    }

    function start(...task: ConstructorParameters<typeof JournalProcess>): JournalProcess {
      const child = new JournalProcess(...task);
      processes.push(child);
      return child;
    }

    it('reads the same after it was closed and opened again', async () => {
      const first = openOne();
      const lease = await first.acquire(runId, sampleOwner('a'));
      const [asked, answered] = toolTurn(1);
      await first.append(lease, sampleCommit(runId, 0, runBegin('first'), { contents: [sampleContent('h', 'text')] }));
      await first.append(lease, sampleCommit(runId, 2, [...asked, ...answered]));
      const [summary] = await first.runs();
      const events = await first.read(runId);
      await first.close();
      const second = openOne();
      // The lease is free again.
      expect({ events: await second.read(runId), runs: await second.runs() }).toEqual({
        events,
        runs: [{ ...summary, isAbandoned: true }],
      });
      expect(await second.content('h' as ContentHash)).toBe('text');
      const next = await second.acquire(runId, sampleOwner('b'));
      expect(next.epoch).toBeGreaterThan(lease.epoch);
      await second.append(next, sampleCommit(runId, 10, [note('on')]));
    });

    it('lets two journals of one process share a file: each sees the other, one holds a run', async () => {
      const one = openOne();
      const two = openOne();
      const lease = await one.acquire(runId, sampleOwner('one'));
      await one.append(lease, sampleCommit(runId, 0, runBegin('first')));
      expect(await two.read(runId)).toEqual(await one.read(runId));
      const error = await failure('RUN_LOCKED', () => two.acquire(runId, sampleOwner('two')));
      expect(error.details['owner']).toBe(sampleOwner('one'));
      const other = await two.acquire(sampleRun('run_2'), sampleOwner('two'));
      await two.append(other, sampleCommit(other.runId, 0, runBegin('second')));
      await one.append(lease, sampleCommit(runId, 2, [note('on')]));
      expect((await one.runs()).map((run) => run.lastSeq).sort()).toEqual([2, 3]);
      await one.close();
      expect((await two.acquire(runId, sampleOwner('two'))).epoch).toBe(lease.epoch + 1);
    });

    it('is open to readers while another process writes, and what they read has no gaps', async () => {
      const child = start('append', file, 'run_child');
      await child.line();
      const readers = [openOne({ readOnly: true }), openOne()];
      let last = 0;
      for (let round = 0; round < 20; round += 1) {
        for (const reader of readers) {
          const events = await reader.read(sampleRun('run_child'));
          expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
          expect(events.length % 3).toBe(0);
          expect(events.length).toBeGreaterThanOrEqual(last);
          last = events.length;
        }
        await child.line();
      }
    });

    it('refuses a run that another process holds, and takes it over once that process is dead', async () => {
      const child = start('hold', file, runId);
      await child.line();
      const journal = openOne();
      const error = await failure('RUN_LOCKED', () => journal.acquire(runId, sampleOwner('me')));
      expect(error.details['owner']).toBe(sampleOwner('child', child.pid));
      await child.kill();
      // A server notices the end of a process when it reads from its connection.
      const lease = await vi.waitFor(async () => await journal.acquire(runId, sampleOwner('me')), 20_000);
      expect(lease.epoch).toBe(2);
      await journal.append(lease, sampleCommit(runId, 0, [note('mine now')]));
    });

    it('lets exactly one of eight processes have a run', async () => {
      const rivals = Array.from({ length: 8 }, () => start('compete', file, runId));
      const said = await Promise.all(rivals.map((rival) => rival.line()));
      expect(said.filter((line) => line === 'won')).toHaveLength(1);
      expect(said.filter((line) => line === 'RUN_LOCKED')).toHaveLength(7);
      expect(await openOne().read(runId)).toHaveLength(1);
    });

    it('lets several processes write to runs of their own at the same time', async () => {
      const names = ['run_a', 'run_b', 'run_c'];
      const writers = names.map((run) => start('write', file, run));
      expect(await Promise.all(writers.map((writer) => writer.line()))).toEqual(['done', 'done', 'done']);
      const journal = openOne();
      for (const run of names) expect(await journal.read(sampleRun(run))).toHaveLength(600);
    });

    it('loses nothing that was acknowledged when its process is killed in the middle of appends', async () => {
      for (let round = 0; round < 4; round += 1) {
        const run = sampleRun(`run_${round}`);
        const child = start('append', file, run);
        for (let acknowledged = 0; acknowledged < 10 + round * 37; acknowledged += 1) await child.line();
        await child.kill();
        const acknowledged = Number(child.said.at(-1));
        const journal = openOne();
        // A server may still finish an append of the killed process: from here on it is refused.
        const lease = await vi.waitFor(async () => await journal.acquire(run, sampleOwner('heir')), 20_000);
        const events = await journal.read(run);
        expect(events.length).toBeGreaterThanOrEqual(acknowledged);
        expect(events.length % 3).toBe(0);
        const drafts = Array.from({ length: events.length / 3 }, (_, index) =>
          ['a', 'b', 'c'].map((letter) => note(`${letter}${index}`)),
        );
        expect(events).toEqual(placed(run, 0, drafts.flat()));
        for (let index = 0; index < events.length / 3; index += 1) {
          expect(await journal.content(`hash-${index}` as ContentHash)).toBe(`text ${index}`);
        }
        await journal.append(lease, sampleCommit(run, events.length, [note('on')]));
        await journal.close();
      }
    });

    it('fences off a holder that was taken over while it was paused (K9)', async () => {
      const paused = openOne();
      const old = await paused.acquire(runId, sampleOwner('paused'));
      await paused.append(old, sampleCommit(runId, 0, runBegin('first')));
      const heir = openOne({ takeOver: true });
      const lease = await heir.acquire(runId, sampleOwner('heir'));
      await heir.append(lease, sampleCommit(runId, 2, [note('heir')]));
      await failure('STORE_CONFLICT', () => paused.append(old, sampleCommit(runId, 3, [note('zombie')])));
      await failure('STORE_CONFLICT', () => paused.append(old, sampleCommit(runId, 2, [note('zombie')])));
      await paused.release(old);
      await paused.close();
      await heir.append(lease, sampleCommit(runId, 3, [note('still heir')]));
    });

    it('goes by the process of a holder, whatever host its owner names, unless it is told to take over', async () => {
      const stranger = `1@not-${hostname()}#x`;
      const journal = openOne();
      await journal.acquire(runId, stranger);
      const error = await failure('RUN_LOCKED', () => openOne().acquire(runId, sampleOwner('me')));
      expect(error.details['owner']).toBe(stranger);
      expect((await openOne({ takeOver: true }).acquire(runId, sampleOwner('me'))).epoch).toBe(2);
    });
  });
}
