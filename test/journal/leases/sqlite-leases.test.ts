import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CadreError } from '../../../src/core/error.ts';
import type { Journal } from '../../../src/core/events/journal.ts';
import type { SqliteJournalOptions } from '../../../src/journal/sqlite/sqlite-journal-options.ts';
import { createSqliteJournal } from '../../../src/journal/sqlite/sqlite-journal.ts';
import { failure } from '../../contracts/journal-contract.ts';
import { runBegin, note, sampleCommit, sampleRun } from '../../contracts/journal-samples.ts';
import { type FakeProcess, type FakeWorld, fakeWorld } from './fake-processes.ts';

const runId = sampleRun('run_1');
const heartbeatMs = 5_000;
const expiryMs = 30_000;
let world: FakeWorld;
let file = '';
const opened: Journal[] = [];
beforeEach(() => {
  world = fakeWorld();
  file = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-leases-')), 'journal.db');
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  rmSync(path.dirname(file), { recursive: true });
});

function open(process: FakeProcess, options: SqliteJournalOptions = {}): Journal {
  const journal = createSqliteJournal(file, { ...options, processes: process });
  opened.push(journal);
  return journal;
}

const ownerOf = ({ self }: FakeProcess): string => `${self.pid}@${self.machine}#nonce`;

/** Tries to take the run: its epoch, milliseconds until the holder's state is known, or `locked`. */
async function attempt(journal: Journal, process: FakeProcess): Promise<number | string> {
  let epoch = 0;
  const error = await failure('RUN_LOCKED', async () => {
    epoch = (await journal.acquire(runId, ownerOf(process))).epoch;
    throw new CadreError('RUN_LOCKED', 'it was not');
  });
  const { knownInMs } = error.details;
  return epoch > 0 ? epoch : typeof knownInMs === 'number' ? `known in ${knownInMs}` : 'locked';
}

async function hold(process: FakeProcess): Promise<Journal> {
  const journal = open(process);
  const lease = await journal.acquire(runId, ownerOf(process));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  return journal;
}

describe('F46: leases of processes on one machine', () => {
  it('are known at once: a live holder keeps its run however long it is silent, a dead one loses it', async () => {
    const holder = world.start('box');
    await hold(holder);
    const rival = world.start('box');
    const journal = open(rival);
    world.now += 100 * expiryMs;
    expect(await attempt(journal, rival)).toBe('locked');
    expect((await journal.runs())[0]?.isAbandoned).toBeUndefined();
    holder.isAlive = false;
    expect((await journal.runs())[0]?.isAbandoned).toBe(true);
    expect(await attempt(journal, rival)).toBe(2);
  });
});

describe.each([
  ['another container of the same system', 'one'],
  ['another system, whose clock says nothing here', 'two'],
])('F46: a holder in %s', (_, clock) => {
  it('that gives signs of life keeps its run, whatever its clock says', async () => {
    const holder = world.start('box-a', clock);
    await hold(holder);
    const rival = world.start('box-b');
    const journal = open(rival);
    for (let passed = 0; passed < 20 * expiryMs; passed += heartbeatMs) {
      world.now += heartbeatMs;
      holder.beat();
      expect(await attempt(journal, rival)).toMatch(/locked|known in/);
      expect((await journal.runs())[0]?.isAbandoned).toBeUndefined();
    }
    // It has answered, so it is known to be alive.
    expect(await attempt(journal, rival)).toBe('locked');
  });

  it('that is silent loses its run after the time the message names, to a process that has only just begun, too', async () => {
    const holder = world.start('box-a', clock);
    const old = await hold(holder);
    const lease = { runId, owner: ownerOf(holder), epoch: 1 };
    const first = world.start('box-b');
    expect(await attempt(open(first), first)).toBe(`known in ${expiryMs}`);
    world.now += expiryMs - 1;
    const second = world.start('box-b');
    const journal = open(second);
    expect(await attempt(journal, second)).toBe('known in 1');
    world.now += 1;
    expect((await journal.runs())[0]?.isAbandoned).toBe(true);
    expect(await attempt(journal, second)).toBe(2);
    // It was only stopped: its write is refused (I8).
    await failure('STORE_CONFLICT', () => old.append(lease, sampleCommit(runId, 2, [note('zombie')])));
  });

  it('that was silent for long is asked first: its store may have been full', async () => {
    const holder = world.start('box-a', clock);
    await hold(holder);
    world.now += 10 * expiryMs;
    const rival = world.start('box-b');
    const journal = open(rival);
    const wait = clock === 'one' ? 3 * heartbeatMs : expiryMs;
    expect(await attempt(journal, rival)).toBe(`known in ${wait}`);
    holder.beat();
    world.now += wait;
    expect(await attempt(journal, rival)).toBe('locked');
    world.now += 3 * heartbeatMs;
    expect(await attempt(journal, rival)).toBe(`known in ${wait}`);
    world.now += expiryMs;
    expect(await attempt(journal, rival)).toBe(2);
  });
});

it('F46: two processes that ask, of two systems, do not keep each other from the run of a dead one', async () => {
  await hold(world.start('box-a', 'zero'));
  const rivals = [world.start('box-b', 'one'), world.start('box-c', 'two')].map((rival) => ({ rival, journal: open(rival) }));
  const said: (number | string)[] = [];
  for (let passed = 0; passed <= expiryMs; passed += heartbeatMs) {
    for (const { rival, journal } of rivals) said.push(await attempt(journal, rival));
    world.now += heartbeatMs;
  }
  expect(said.filter((one) => one === 2)).toHaveLength(1);
});

it('F46: a system that was started again reads a time from before as none', async () => {
  await hold(world.start('box-a', 'one'));
  world.now -= 500_000;
  const rival = world.start('box-b', 'one');
  const journal = open(rival);
  expect(await attempt(journal, rival)).toBe(`known in ${expiryMs}`);
  world.now += expiryMs;
  expect(await attempt(journal, rival)).toBe(2);
});

it('F46: a holder of an older version, which gives no signs of life, is taken over after one expiry, and its row is kept apart', async () => {
  const journal = await hold(world.start('box-a'));
  await journal.close();
  const database = new DatabaseSync(file);
  database.exec(`UPDATE leases SET owner = '7@not-here#old', since = 5, birth = 'boot:1'; DELETE FROM owners`);
  database.close();
  const rival = world.start('box-b');
  const next = open(rival);
  expect(await attempt(next, rival)).toBe(`known in ${expiryMs}`);
  world.now += expiryMs;
  expect(await attempt(next, rival)).toBe(2);
});

describe('F46: signs of life', () => {
  function beatsOf(): readonly unknown[] {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('SELECT owner, beat FROM owners ORDER BY owner').all();
    database.close();
    return rows.map(({ owner, beat }) => [owner, beat]);
  }

  it('are one row for all runs of an owner, and none is given without a lease', async () => {
    const process = world.start('box');
    const journal = open(process);
    expect(process.timers).toBe(0);
    const leases = await Promise.all(
      ['run_1', 'run_2', 'run_3'].map(async (name) => await journal.acquire(sampleRun(name), ownerOf(process))),
    );
    expect(process.timers).toBe(1);
    const [[, before] = []] = beatsOf() as [string, number][];
    process.beat();
    expect(beatsOf()).toEqual([[ownerOf(process), Number(before) + 1]]);
    for (const lease of leases) await journal.release(lease);
    expect(process.timers).toBe(0);
    await journal.acquire(runId, ownerOf(process));
    expect(process.timers).toBe(1);
    await journal.close();
    expect(process.timers).toBe(0);
  });

  it('that cannot be written are left out, and no process ends by that', async () => {
    const process = world.start('box');
    const journal = await hold(process);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    process.beat();
    other.exec('ROLLBACK');
    other.close();
    process.beat();
    expect((await journal.runs())[0]?.isAbandoned).toBeUndefined();
  });

  it('rows of owners that hold nothing any more go when the next one begins', async () => {
    const gone = world.start('box');
    await (await hold(gone)).close();
    const next = world.start('box');
    const journal = open(next);
    await journal.acquire(runId, ownerOf(next));
    expect(beatsOf().map((row) => (row as string[])[0])).toEqual([ownerOf(next)]);
  });

  it('refuse times that would take a live holder for gone', () => {
    for (const leases of [{ heartbeatMs: 0 }, { heartbeatMs: 20_000 }, { expiryMs: 5_000 }, { expiryMs: Number.NaN }])
      expect(() => open(world.start('box'), { leases })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
