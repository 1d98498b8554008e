import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Journal } from '../../src/core/events/journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { failure } from '../contracts/journal-contract.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';
import { fakeWorld } from './leases/fake-processes.ts';

const runId = sampleRun('run_1');
let file = '';
let journal: Journal;
const process = fakeWorld().start('box');
beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-gone-')), 'journal.db');
  journal = createSqliteJournal(file, { processes: process });
});
afterEach(async () => {
  await journal.close();
  rmSync(path.dirname(file), { recursive: true });
});

const accidents: readonly (readonly [string, () => void])[] = [
  ['is removed', () => rmSync(file)],
  ['is moved away', () => renameSync(file, `${file}.old`)],
  [
    'is replaced by a copy',
    () => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  ['loses its log', () => rmSync(`${file}-wal`)],
  ['goes with its folder', () => rmSync(path.dirname(file), { recursive: true })],
];

describe.each(accidents)('F50: a journal whose file %s while it is open', (_, happen) => {
  beforeEach(async () => {
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
  });
  afterEach(async () => {
    await journal.close();
    rmSync(path.dirname(file), { recursive: true, force: true });
    file = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-gone-')), 'journal.db');
  });

  it('acknowledges nothing that counts, from the first commit on that does, and says what to do', async () => {
    const lease = { runId, owner: sampleOwner('a'), epoch: 1 };
    happen();
    const error = await failure('STORE_FAILED', () => journal.append(lease, sampleCommit(runId, 2, [note('on')], { sync: true })));
    expect(error.message).toMatch(/journal\.db(-wal)?: the file was (removed|replaced) while it was in use.*Put it back/);
    await failure('STORE_FAILED', () => journal.append(lease, sampleCommit(runId, 3, [note('on')])));
    await failure('STORE_FAILED', () => journal.acquire(sampleRun('run_2'), sampleOwner('a')));
    await failure('STORE_FAILED', () => journal.mark?.(runId, { title: 'x' }));
    await failure('STORE_FAILED', () => journal.sync?.());
  });

  it('notices it with the next sign of life, too', async () => {
    const lease = { runId, owner: sampleOwner('a'), epoch: 1 };
    happen();
    process.beat();
    await failure('STORE_FAILED', () => journal.append(lease, sampleCommit(runId, 2, [note('on')])));
  });
});
