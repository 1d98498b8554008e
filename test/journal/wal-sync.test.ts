import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { failure } from '../contracts/journal-contract.ts';
import { runBegin, sampleCommit, sampleOwner, sampleRun } from '../contracts/journal-samples.ts';

let directory = '';
let file = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'cadre-sync-'));
  file = path.join(directory, 'journal.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

describe.skipIf(!canTrace)('F67: what the system is asked for (skipped where strace cannot watch a process)', () => {
  it('50 launches at once are acknowledged after a sync of the log that comes behind all of their writes, and few syncs in all', () => {
    const trace = path.join(directory, 'trace');
    const script = path.join(import.meta.dirname, 'sync-child.ts');
    const watched = ['-f', '-y', '-e', 'trace=fdatasync,fsync,pwrite64,write', '-o', trace];
    const child = spawnSync('strace', [...watched, process.execPath, script, file], { encoding: 'utf8' });
    expect(child.stdout, child.stderr).toBe('launched\n');
    const calls = readFileSync(trace, 'utf8').split('\n');
    const launched = calls.findIndex((line) => line.includes('"launched\\n"'));
    const write = calls.findLastIndex((line, at) => at < launched && line.includes('pwrite64') && line.includes('journal.db-wal>'));
    const syncs = calls.flatMap((line, at) => (line.includes('fdatasync') && line.includes('journal.db-wal>') ? [at] : []));
    expect(syncs.some((at) => at > write && at < launched)).toBe(true);
    expect(syncs.length).toBeLessThan(15);
  });
});

it('F67: syncs share one another, end before the journal closes, and are refused afterwards', async () => {
  const journal = createSqliteJournal(file);
  const lease = await journal.acquire(sampleRun('run_1'), sampleOwner('a'));
  await journal.append(lease, sampleCommit(lease.runId, 0, runBegin('first')));
  const ends: string[] = [];
  const note = (what: string) => () => void ends.push(what);
  const asked = [1, 2, 3].map(async (number) => await Promise.resolve(journal.sync?.()).then(note(`sync ${number}`)));
  await Promise.all([...asked, Promise.resolve(journal.close()).then(note('closed'))]);
  expect(ends).toEqual(['sync 1', 'sync 2', 'sync 3', 'closed']);
  await failure('STORE_FAILED', () => journal.sync?.());
});
