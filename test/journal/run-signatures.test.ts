import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitSum, keySpan } from '../../src/journal/sqlite/sqlite-schema.ts';
import { createSqliteJournal, type SqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../cli/cli-process.ts';
import { note, runBegin, sampleCommit, sampleOwner, sampleRun, toolTurn } from '../contracts/journal-samples.ts';

const key = new Uint8Array(32).fill(7);
const runId = sampleRun('run_1');
const other = sampleRun('run_2');
let file: string;
const opened: SqliteJournal[] = [];

beforeEach(async () => {
  file = path.join(await temporaryFolder(), 'journal.db');
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
});

function open(signature?: { readonly key: Uint8Array }): SqliteJournal {
  const journal = createSqliteJournal(file, { signature });
  opened.push(journal);
  return journal;
}

const isSigned = (id = runId): boolean => open({ key }).originOf(id) !== undefined;

/** Edits the file like any process with write access. */
function edit(sql: string): void {
  const database = new DatabaseSync(file);
  database.function('commit_sum', (at, lastSeq, when, body) =>
    commitSum({ key: Number(at), lastSeq: Number(lastSeq), at: Number(when), body: String(body) }),
  );
  database.exec(sql);
  database.close();
}

/** Records two runs of three commits. */
async function fill(signature?: { readonly key: Uint8Array }): Promise<void> {
  const journal = open(signature);
  const [asked, answered] = toolTurn(1);
  for (const id of [runId, other]) {
    const lease = await journal.acquire(id, sampleOwner('a'));
    await journal.append(lease, sampleCommit(id, 0, runBegin(id)));
    await journal.append(lease, sampleCommit(id, 2, asked));
    await journal.append(lease, sampleCommit(id, 6, answered));
  }
  await journal.close();
}

/** Adds an event to the run. */
async function goOn(signature?: { readonly key: Uint8Array }, after = 10): Promise<void> {
  const journal = open(signature);
  const lease = await journal.acquire(runId, sampleOwner('b'));
  await journal.append(lease, sampleCommit(runId, after, [note('on')]));
  await journal.close();
}

describe('F74: runs that are signed', () => {
  it('are told from others, in the process that wrote them and in later ones', async () => {
    await fill({ key });
    expect([isSigned(), isSigned(other)]).toEqual([true, true]);
    await goOn({ key });
    expect(isSigned()).toBe(true);
    expect(open().originOf(runId)).toBeUndefined();
    const another = open({ key: new Uint8Array(32) });
    expect(another.originOf(runId)).toBeUndefined();
  });

  it('without the key, a run is not signed, and stays so', async () => {
    await fill();
    expect(isSigned()).toBe(false);
    await goOn({ key });
    expect(isSigned()).toBe(false);
    expect(isSigned(sampleRun('run_9'))).toBe(false);
  });

  it('a run that goes on without the key is not signed any more, and not again', async () => {
    await fill({ key });
    await goOn();
    expect(isSigned()).toBe(false);
    await goOn({ key }, 11);
    expect([isSigned(), isSigned(other)]).toEqual([false, true]);
  });

  const sums = 'UPDATE commits SET sum = commit_sum(key, last_seq, at, body)';
  it.each([
    ['an event that was changed', `UPDATE commits SET body = replace(body, '":', '" :') WHERE key = ${keySpan + 3}; ${sums}`],
    ['a time that was changed', `UPDATE commits SET at = at + 1 WHERE key = ${keySpan + 3}; ${sums}`],
    ['a commit that was cut off', `DELETE FROM commits WHERE key = ${keySpan + 7}`],
    [
      'a commit that was cut off with its signature',
      `DELETE FROM commits WHERE key = ${keySpan + 7}; UPDATE signatures SET last_seq = 6`,
    ],
    ['the history of another run', `UPDATE runs SET run_id = 'x' WHERE run = 1; UPDATE runs SET run_id = 'run_1' WHERE run = 2`],
    [
      'the signature of another run',
      `UPDATE signatures SET mac = (SELECT mac FROM signatures WHERE run_id = 'run_2') WHERE run_id = 'run_1'`,
    ],
    ['a signature that was taken out', `DROP TABLE signatures`],
  ])('%s is found', async (_, sql) => {
    await fill({ key });
    edit(sql);
    expect(isSigned()).toBe(false);
  });

  it('a run that a person agreed to is signed as it is then', async () => {
    await fill();
    const journal = open({ key });
    await journal.adopt(runId);
    await journal.close();
    expect([isSigned(), isSigned(other)]).toEqual([true, false]);
    await goOn({ key });
    expect(open({ key }).originOf(runId)).toBe('adopted');
    edit(`UPDATE commits SET body = replace(body, '":', '" :'); ${sums}`);
    expect(isSigned()).toBe(false);
  });

  it('a run that a person agreed to cannot be made to look like one that was recorded here', async () => {
    await fill();
    const journal = open({ key });
    await journal.adopt(runId);
    await journal.close();
    edit('UPDATE signatures SET mac = substr(mac, 1, 32)');
    expect(open({ key }).originOf(runId)).toBeUndefined();
  });

  it('a commit that is refused changes no signature', async () => {
    await fill({ key });
    const journal = open({ key });
    const lease = await journal.acquire(runId, sampleOwner('b'));
    await expect(async () => await journal.append(lease, sampleCommit(runId, 6, [note('stale')]))).rejects.toThrow(/10|seq/);
    await journal.append(lease, sampleCommit(runId, 10, [note('on')]));
    expect(journal.originOf(runId)).toBe('own');
    await journal.close();
    expect(isSigned()).toBe(true);
  });
});
