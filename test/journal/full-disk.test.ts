import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Journal } from '../../src/core/events/journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { failure } from '../contracts/journal-contract.ts';
import { runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';

const runId = sampleRun('run_1');
let disk: SmallDisk;
let file = '';
const opened: Journal[] = [];

function open(): Journal {
  const journal = createSqliteJournal(file);
  opened.push(journal);
  return journal;
}

/** Appends to the journal's one run and reads it back. */
async function works(): Promise<void> {
  const journal = open();
  const lease = await journal.acquire(runId, sampleOwner('a'));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  expect(await journal.read(runId)).toHaveLength(2);
  await journal.close();
}

describe.skipIf(whyNoSmallDisk !== undefined)(`F45: a disk that is really full (${whyNoSmallDisk ?? 'in memory'})`, () => {
  beforeEach(() => {
    disk = makeSmallDisk(512);
    file = path.join(disk.folder, 'journal.db');
  });
  afterEach(async () => {
    disk.free();
    for (const journal of opened.splice(0)) await journal.close();
    disk.remove();
  });

  it('while the first journal is made leaves none, and nothing beside it, however much of it there was room for', async () => {
    let made = 0;
    for (let room = 0; room <= 200; room += 4) {
      const spare = path.join(disk.folder, 'spare');
      if (room > 0) writeFileSync(spare, Buffer.alloc(room * 1_024));
      disk.fill();
      if (room > 0) rmSync(spare, { force: true });
      try {
        await createSqliteJournal(file).close();
        made += 1;
      } catch {
        await failure('STORE_FAILED', () => createSqliteJournal(file));
        // A complete journal may be there that could not be opened for lack of space.
        expect(readdirSync(disk.folder).join(' '), `${room} KB`).toMatch(/^filler( journal\.db(-shm|-wal)?)*$/);
      }
      disk.free();
      await works();
      for (const name of readdirSync(disk.folder)) rmSync(path.join(disk.folder, name), { force: true });
    }
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(50);
  });

  it('while an older layout is brought up leaves it as it was', async () => {
    await works();
    const before = new DatabaseSync(file);
    before.exec(`DROP TABLE owners; DROP TABLE marks; UPDATE meta SET value = 2 WHERE key = 'schema_version'`);
    before.close();
    disk.fill();
    await failure('STORE_FAILED', () => open());
    disk.free();
    const after = new DatabaseSync(file, { readOnly: true });
    expect(after.prepare(`SELECT value FROM meta WHERE key = 'schema_version'`).get()).toEqual({ value: 2 });
    after.close();
    expect(await open().read(runId)).toHaveLength(2);
  });

  it('while a run gets a title leaves it without one, and takes it later', async () => {
    await works();
    const journal = open();
    await journal.mark?.(runId, { title: 'before' });
    disk.fill();
    await failure('STORE_FAILED', async () => {
      for (;;) await journal.mark?.(runId, { title: 'x'.repeat(100_000) });
    });
    disk.free();
    expect((await journal.runs())[0]?.title).toBeOneOf(['before', 'x'.repeat(100_000)]);
    await journal.mark?.(runId, { title: 'after' });
    expect((await journal.runs())[0]?.title).toBe('after');
  });
});
