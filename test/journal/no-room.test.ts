import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Journal } from '../../src/core/events/journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';

// Covers `full-disk.test.ts` where no separate disk can be mounted.

const runId = sampleRun('run_1');
let folder = '';
let file = '';
const warnings: string[] = [];
const listen = (warning: Error): void => void warnings.push(warning.message);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-room-'));
  file = path.join(folder, 'journal.db');
  warnings.length = 0;
  process.on('warning', listen);
});
afterEach(() => {
  process.off('warning', listen);
  rmSync(folder, { recursive: true });
});

/** Makes every write to the leases fail until the returned function is called. */
function failLeases(): () => void {
  const other = new DatabaseSync(file);
  other.exec(`CREATE TRIGGER no_room BEFORE UPDATE ON leases BEGIN SELECT RAISE(FAIL, 'disk full'); END`);
  return () => {
    other.exec('DROP TRIGGER no_room');
    other.close();
  };
}

async function hold(journal: Journal): Promise<void> {
  const lease = await journal.acquire(runId, sampleOwner('a'));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
}

it('F44: a lease that cannot be cleared keeps its own process from nothing: it is given back, closed and taken again', async () => {
  const journal = createSqliteJournal(file);
  const lease = await journal.acquire(runId, sampleOwner('a'));
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  const free = failLeases();
  await journal.release(lease);
  await journal.close();
  free();
  const next = createSqliteJournal(file);
  expect((await next.acquire(runId, sampleOwner('b'))).epoch).toBe(2);
  await next.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([expect.stringMatching(/closed, but the file still lists run_1 as held \(disk full\).*--take-over/)]);
});

it('F44: one of a journal that is closed while it holds it is taken by another journal of the process, too', async () => {
  const journal = createSqliteJournal(file);
  await hold(journal);
  const free = failLeases();
  await journal.close();
  free();
  const next = createSqliteJournal(file);
  expect((await next.acquire(runId, sampleOwner('b'))).epoch).toBe(2);
  await next.close();
});

it.skipIf(process.platform === 'win32')(
  'F45: a first journal that has no room leaves none, or a whole one, however large it got',
  async () => {
    const script = path.join(import.meta.dirname, 'limited-child.ts');
    const said: string[] = [];
    // Blocks of 512 bytes, from no space to enough.
    for (const blocks of [0, 1, 8, 16, 40, 64, 100, 400]) {
      const limited = spawnSync('sh', ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, script, file], {
        encoding: 'utf8',
      });
      said.push(limited.stdout);
      const left = readdirSync(folder).filter((name) => !/^journal\.db(-shm|-wal)?$/.test(name));
      expect(left, `${blocks} blocks: ${limited.stderr}`).toEqual([]);
      const journal = createSqliteJournal(file);
      await hold(journal);
      expect(await journal.read(runId)).toHaveLength(2);
      await journal.close();
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
    }
    expect(said[0]).toBe('STORE_FAILED');
    expect(said.at(-1)).toBe('made');
    expect(new Set(said)).toEqual(new Set(['STORE_FAILED', 'made']));
  },
  60_000,
);
