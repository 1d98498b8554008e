import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Journal } from '../../src/core/events/journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { failure } from '../contracts/journal-contract.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';

const runId = sampleRun('run_1');
let file = '';
const opened: Journal[] = [];
beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-locks-')), 'journal.db');
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  rmSync(path.dirname(file), { recursive: true });
});

function open(): Journal {
  const journal = createSqliteJournal(file);
  opened.push(journal);
  return journal;
}

/**
 * Locks the file until a timer of this process releases it, which fires only if nothing blocks the event loop. `turns` counts the
 * loop's turns meanwhile.
 */
function lockFor(ms: number): { readonly turns: number; readonly isOver: boolean } {
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const lock = { turns: 0, isOver: false };
  const ticks = setInterval(() => (lock.turns += 1), 1);
  setTimeout(() => {
    clearInterval(ticks);
    lock.isOver = true;
    other.exec('ROLLBACK');
    other.close();
  }, ms);
  return lock;
}

describe('F49: a file that is locked by another one is waited for while the event loop turns', () => {
  it('by a lease, appends, marks and a release, in the order in which they came', async () => {
    const journal = open();
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
    const lock = lockFor(150);
    const said: string[] = [];
    const done = (what: string) => () => void said.push(`${what}${lock.isOver ? '' : ' too early'}`);
    await Promise.all([
      Promise.resolve(journal.append(lease, sampleCommit(runId, 2, [note('one')]))).then(done('one')),
      Promise.resolve(journal.append(lease, sampleCommit(runId, 3, [note('two')]))).then(done('two')),
      Promise.resolve(journal.mark?.(runId, { title: 'Tea' })).then(done('mark')),
      Promise.resolve(journal.acquire(sampleRun('run_2'), sampleOwner('a'))).then(done('lease')),
      Promise.resolve(journal.askHolders?.()).then(done('asked')),
      Promise.resolve(journal.release(lease)).then(done('release')),
    ]);
    expect(said.filter((what) => what !== 'asked')).toEqual(['one', 'two', 'mark', 'lease', 'release']);
    expect(lock.turns).toBeGreaterThan(3);
    expect(await journal.read(runId)).toMatchObject([{}, {}, { message: 'one' }, { message: 'two' }]);
    expect((await journal.runs({ runId }))[0]).toMatchObject({ title: 'Tea', isAbandoned: true });
  });

  it('what can be done at once is done at once, and answers at once', async () => {
    const journal = open();
    const lease = journal.acquire(runId, sampleOwner('a'));
    if (lease instanceof Promise) throw new Error('it waited');
    expect(journal.append(lease, sampleCommit(runId, 0, runBegin('first')))).toBeUndefined();
    expect(journal.release(lease)).toBeUndefined();
    expect(journal.close()).toBeUndefined();
  });

  it('an append that is refused is refused, also after a wait', async () => {
    const journal = open();
    const lease = await journal.acquire(runId, sampleOwner('a'));
    lockFor(50);
    await failure('STORE_CONFLICT', () => journal.append(lease, sampleCommit(runId, 7, [note('late')])));
  });

  it('reading does not wait', async () => {
    const journal = open();
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
    const lock = lockFor(50);
    expect(await journal.read(runId)).toHaveLength(2);
    expect(await journal.runs()).toHaveLength(1);
    expect(lock.isOver).toBe(false);
  });

  it('closing waits, and what was held is free for others afterwards', async () => {
    const journal = open();
    await journal.acquire(runId, sampleOwner('a'));
    const lock = lockFor(50);
    await journal.close();
    expect(lock.isOver).toBe(true);
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare('SELECT owner FROM leases').all()).toEqual([{ owner: null }]);
    database.close();
    await failure('STORE_FAILED', () => journal.runs());
  });
});
