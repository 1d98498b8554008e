import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { ContentHash } from '../../src/core/ids.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { encodeCommit } from '../../src/journal/codec/event-codec.ts';
import type { SqliteJournalOptions } from '../../src/journal/sqlite/sqlite-journal-options.ts';
import { createSqliteJournal, SqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { openJournalFile } from '../../src/journal/sqlite/sqlite-open.ts';
import { contentSum, schemaVersion } from '../../src/journal/sqlite/sqlite-schema.ts';
import { addressOf } from '../../src/journal/codec/text-address.ts';
import { failure } from '../contracts/journal-contract.ts';
import {
  note,
  placed,
  runBegin,
  sampleCommit,
  sampleContent,
  sampleOwner,
  sampleRun,
  toolTurn,
} from '../contracts/journal-samples.ts';

const runId = sampleRun('run_1');
let directory: string;
let file: string;
const opened: Journal[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cadre-sqlite-'));
  file = join(directory, 'journal.db');
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  rmSync(directory, { recursive: true });
});

function open(options: SqliteJournalOptions = {}): Journal {
  const journal = createSqliteJournal(file, options);
  opened.push(journal);
  return journal;
}

/** Edits the file without the journal's knowledge. */
function edit(sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(file);
  if (values.length === 0) database.exec(sql);
  else database.prepare(sql).run(...values);
  database.close();
}

/** Records a closed journal of one run with 10 events in 3 commits and a text. */
async function fill(): Promise<void> {
  const journal = open();
  const lease = await journal.acquire(runId, sampleOwner('a'));
  const [asked, answered] = toolTurn(1);
  await journal.append(lease, sampleCommit(runId, 0, runBegin('first'), { contents: [sampleContent('h', 'a text')] }));
  await journal.append(lease, sampleCommit(runId, 2, asked));
  await journal.append(lease, sampleCommit(runId, 6, answered));
  await journal.close();
}

describe('sqlite journal: the file', () => {
  it('makes its directories and file for the owner alone, and leaves no draft behind', () => {
    file = join(directory, 'a', 'b', 'journal.db');
    open();
    expect(statSync(join(directory, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, 'a', 'b')).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  it('has pages of 4096 bytes and a write-ahead log', async () => {
    await fill();
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare('PRAGMA page_size').get()).toMatchObject({ page_size: 4096 });
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('SELECT count(*) AS rows FROM commits').get()).toMatchObject({ rows: 3 });
    expect(database.prepare('SELECT count(*) AS rows FROM contents').get()).toMatchObject({ rows: 1 });
    database.close();
  });

  it('only reads what is there when it is opened with readOnly', async () => {
    await failure('STORE_FAILED', () => open({ readOnly: true }));
    expect(existsSync(file)).toBe(false);
    await fill();
    const reader = open({ readOnly: true });
    expect(await reader.read(runId)).toHaveLength(10);
    expect(await reader.runs()).toHaveLength(1);
    expect(await reader.content('h' as ContentHash)).toBe('a text');
    const error = await failure('STORE_FAILED', () => reader.acquire(runId, sampleOwner('b')));
    expect(error.message).toContain('readOnly');
  });

  it('refuses a directory and a path through a file', async () => {
    await failure('STORE_FAILED', () => createSqliteJournal(directory));
    writeFileSync(file, 'x');
    await failure('STORE_FAILED', () => createSqliteJournal(join(file, 'journal.db')));
  });
});

/** Returns the run as text, or the code of the error that reading it ends in. */
async function readAnyhow(): Promise<string> {
  let journal: Journal | undefined;
  try {
    journal = createSqliteJournal(file, { readOnly: true });
    return JSON.stringify(await journal.read(runId));
  } catch (error) {
    if (error instanceof CadreError) return error.code;
    throw error;
  } finally {
    await journal?.close();
  }
}

describe('sqlite journal: damage', () => {
  it.each([
    ['text', 'this is not a database, just some text that is long enough to have a header'.repeat(20)],
    ['nothing', ''],
    ['a few bytes', 'SQLite'],
  ])('refuses a file of %s and leaves it alone', async (_, bytes) => {
    writeFileSync(file, bytes);
    const error = await failure('STORE_CORRUPT', () => open());
    expect(error.message).toContain(file);
    await failure('STORE_CORRUPT', () => open({ readOnly: true }));
    expect(readFileSync(file, 'utf8')).toBe(bytes);
  });

  it("refuses another program's database and leaves it alone", async () => {
    edit('CREATE TABLE mine (x)');
    await failure('STORE_CORRUPT', () => open());
    edit('INSERT INTO mine VALUES (1)');
    expect(readdirSync(directory)).toEqual(['journal.db']);
  });

  it('refuses a truncated file', async () => {
    await fill();
    truncateSync(file, 4096 * 3);
    await failure('STORE_CORRUPT', async () => {
      const journal = open();
      await journal.read(runId);
      await journal.runs();
    });
  });

  it.each([
    ['a changed letter', `UPDATE commits SET body = replace(body, 'let me', 'let us')`, 'from seq 3'],
    ['broken JSON', `UPDATE commits SET body = substr(body, 1, 20) WHERE last_seq = 6`, 'from seq 3'],
    ['bytes', `UPDATE commits SET body = x'00ff' WHERE last_seq = 10`, 'from seq 7'],
    ['a wrong end', `UPDATE commits SET last_seq = 7 WHERE last_seq = 6`, 'from seq 3'],
    ['a lost row', `DELETE FROM commits WHERE last_seq = 6`, 'after seq 2'],
    ['a lost first row', `DELETE FROM commits WHERE last_seq = 2`, 'after seq 0'],
  ])('names file and row of %s', async (_, damage, where) => {
    await fill();
    edit(damage);
    const error = await failure('STORE_CORRUPT', () => open().read(runId));
    expect(error.message).toContain(file);
    expect(error.message).toContain(where);
  });

  it('refuses a text that is not the one stored', async () => {
    await fill();
    edit(`UPDATE contents SET text = 'b text'`);
    const error = await failure('STORE_CORRUPT', () => open().content('h' as ContentHash));
    expect(error.message).toContain('row h');
  });

  it('F66: replaces a damaged text by the right one when a commit brings it, and by no other', async () => {
    const right = { hash: addressOf('a text'), text: 'a text' };
    const journal = open();
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first'), { contents: [right] }));
    let seq = 2;
    for (const damage of [
      `UPDATE contents SET text = 'b text'`,
      'UPDATE contents SET sum = sum + 1',
      `UPDATE contents SET text = x'6120'`,
      'DELETE FROM contents',
    ]) {
      edit(damage);
      if (damage.startsWith('DELETE')) expect(journal.content(right.hash)).toBeUndefined();
      else await failure('STORE_CORRUPT', () => journal.content(right.hash));
      await journal.append(lease, sampleCommit(runId, seq, [note('on')], { contents: [right] }));
      seq += 1;
      expect(journal.content(right.hash), damage).toBe('a text');
    }
    await journal.append(lease, sampleCommit(runId, seq, [note('on')], { contents: [{ ...right, text: 'another text' }] }));
    expect(journal.content(right.hash)).toBe('a text');
  });

  it('F42, F66: refuses a text whose checksum was corrected with it', async () => {
    const journal = open();
    const lease = await journal.acquire(runId, sampleOwner('a'));
    const right = { hash: addressOf('a text'), text: 'a text' };
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first'), { contents: [right] }));
    edit('UPDATE contents SET text = ?, sum = ?', 'b text', contentSum('b text'));
    const error = await failure('STORE_CORRUPT', () => journal.content(right.hash));
    expect(error.message).toContain(`row ${right.hash}: the text does not match this hash`);
  });

  it('reads the same or fails with a typed error, whichever byte of the file is flipped', async () => {
    await fill();
    const expected = JSON.stringify(await open().read(runId));
    await opened[1]?.close();
    const bytes = readFileSync(file);
    for (let place = 0; place < bytes.length; place += 97) {
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << (place % 8));
      writeFileSync(file, flipped);
      expect(await readAnyhow(), `byte ${place}`).toBeOneOf([
        expected,
        'STORE_CORRUPT',
        'STORE_NEWER',
        'STORE_FAILED',
        'RUN_UNKNOWN',
      ]);
      for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
    }
  });
});

/** Converts the file to layout 0: rows without checksums. */
function writeVersion0(): void {
  const [asked, answered] = toolTurn(1);
  const first = placed(runId, 0, runBegin('old'));
  const second = placed(runId, 2, [...asked, ...answered]);
  edit(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE runs (
      run INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, profile TEXT NOT NULL, status TEXT NOT NULL,
      outcome TEXT, created_at REAL NOT NULL
    );
    CREATE TABLE commits (
      key INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, at REAL NOT NULL, agents INTEGER NOT NULL, turns INTEGER NOT NULL,
      input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, body TEXT NOT NULL
    );
    CREATE TABLE contents (hash TEXT PRIMARY KEY, text NOT NULL);
    CREATE TABLE leases (run_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, owner TEXT, since REAL, birth TEXT) WITHOUT ROWID;
    INSERT INTO meta VALUES ('schema_version', 0);
    INSERT INTO runs VALUES (1, 'run_1', 'old', 'Partner', 'running', NULL, ${first[0]?.at ?? 0});
    INSERT INTO leases VALUES ('run_1', 7, NULL, NULL, NULL);
    INSERT INTO contents VALUES ('h', 'old text'), ('u', x'00d8');
  `);
  edit('INSERT INTO commits VALUES (?, 2, ?, 1, 0, 0, 0, ?)', 2 ** 31 + 1, first.at(-1)?.at ?? 0, encodeCommit(first));
  edit('INSERT INTO commits VALUES (?, 10, ?, 1, 1, 100, 20, ?)', 2 ** 31 + 3, second.at(-1)?.at ?? 0, encodeCommit(second));
}

function layoutOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  const columns = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM pragma_table_info(?)`).all(String(name))]);
  database.close();
  return columns;
}

describe('sqlite journal: layout versions', () => {
  it('refuses a newer layout, says so, and leaves the file alone', async () => {
    await fill();
    edit(`UPDATE meta SET value = 99 WHERE key = 'schema_version'`);
    const error = await failure('STORE_NEWER', () => open());
    expect(error.message).toMatch(new RegExp(`layout 99.*up to ${schemaVersion}.*update Cadre`));
    await failure('STORE_NEWER', () => open({ readOnly: true }));
  });

  it.each([`'x'`, '-1', '0.5', 'NULL'])('refuses %s as a version', async (version) => {
    await fill();
    edit(`UPDATE meta SET value = ${version} WHERE key = 'schema_version'`);
    await failure('STORE_CORRUPT', () => open());
  });

  it('brings version 0 up to the newest layout: everything is still there, and it goes on', async () => {
    writeVersion0();
    const journal = open();
    const [asked, answered] = toolTurn(1);
    expect(await journal.read(runId)).toStrictEqual([
      ...placed(runId, 0, runBegin('old')),
      ...placed(runId, 2, [...asked, ...answered]),
    ]);
    expect(await journal.content('h' as ContentHash)).toBe('old text');
    expect(await journal.content('u' as ContentHash)).toBe('\ud800');
    expect(await journal.runs()).toMatchObject([
      { title: 'old', lastSeq: 10, turns: 1, inputTokens: 100, agents: 1, cost: null, costAtLeast: 0, costUnknown: true },
    ]);
    const lease = await journal.acquire(runId, sampleOwner('a'));
    expect(lease.epoch).toBe(8);
    await journal.append(lease, sampleCommit(runId, 10, [note('on')]));
    await journal.close();
    const fresh = join(directory, 'fresh.db');
    await createSqliteJournal(fresh).close();
    expect(layoutOf(file)).toEqual(layoutOf(fresh));
  });

  it('reads what runs have cost out of the commits of version 1; of a commit that cannot be read it is unknown', async () => {
    const journal = open();
    for (const name of ['run_a', 'run_b', 'run_c']) {
      const lease = await journal.acquire(sampleRun(name), sampleOwner('a'));
      await journal.append(lease, sampleCommit(lease.runId, 0, runBegin(name)));
      const asked = toolTurn(1)[0].map((event) => (event.type === 'model.end' ? { ...event, cost: 0.125 } : event));
      for (const after of [2, 6]) await journal.append(lease, sampleCommit(lease.runId, after, asked));
    }
    await journal.close();
    edit(`
      ALTER TABLE commits DROP COLUMN cost;
      ALTER TABLE commits DROP COLUMN unpriced;
      DROP TABLE marks;
      UPDATE meta SET value = 1 WHERE key = 'schema_version';
      UPDATE commits SET body = 'damaged' WHERE key = 2 * 2147483648 + 3;
    `);
    const after = open();
    expect((await after.runs()).map(({ runId, cost, costUnknown }) => [runId, cost, costUnknown])).toEqual([
      ['run_c', 0.25, false],
      ['run_b', null, true],
      ['run_a', 0.25, false],
    ]);
    await failure('STORE_CORRUPT', () => after.read(sampleRun('run_b')));
    const lease = await after.acquire(sampleRun('run_a'), sampleOwner('b'));
    await after.append(lease, sampleCommit(lease.runId, 10, [note('on')]));
    expect(await after.runs({ runId: sampleRun('run_a') })).toMatchObject([{ cost: 0.25, lastSeq: 11 }]);
  });

  it('version 2 is read as it is where nothing may be written, and gets projects, titles and deletion when it is next written to', async () => {
    await fill();
    edit(`DROP TABLE marks; UPDATE meta SET value = 2 WHERE key = 'schema_version'`);
    const before = layoutOf(file);
    const reader = open({ readOnly: true });
    const listed = await reader.runs();
    expect(listed.length).toBeGreaterThan(0);
    expect(await reader.runs({ isDeleted: true })).toEqual([]);
    expect(await reader.runs({ project: 'x' })).toEqual([]);
    await reader.close();
    expect(layoutOf(file)).toEqual(before);
    const journal = open();
    expect(await journal.runs()).toEqual(listed);
    await journal.mark?.(runId, { project: 'x' });
    expect(await journal.runs({ project: 'x' })).toMatchObject([{ runId, project: 'x' }]);
  });

  it('leaves version 0 as it was when a step fails, and when it is only read', async () => {
    writeVersion0();
    await failure('STORE_FAILED', () => open({ readOnly: true }));
    edit('CREATE TABLE commits_0 (x)');
    const before = layoutOf(file);
    await failure('STORE_FAILED', () => open());
    expect(layoutOf(file)).toEqual(before);
  });
});

describe('sqlite journal: trouble while writing', () => {
  it.each([
    ['of notes', []],
    ['with a long text', [sampleContent('long', 'x'.repeat(50_000))]],
  ])('writes nothing of a commit %s for which there is no space, and goes on when there is', async (_, contents) => {
    const database = openJournalFile(file, false);
    const journal = new SqliteJournal(file, database, {});
    opened.push(journal);
    const lease = await journal.acquire(runId, sampleOwner('a'));
    await journal.append(lease, sampleCommit(runId, 0, runBegin('first')));
    database.exec('PRAGMA max_page_count = 10');
    let seq = 2;
    const error = await failure('STORE_FAILED', async () => {
      for (;;) {
        await journal.append(lease, sampleCommit(runId, seq, [note('x'.repeat(1000))], { contents }));
        seq += 1;
      }
    });
    expect(error.message).toContain('no space');
    expect(await journal.read(runId)).toHaveLength(seq);
    expect(await journal.content('long' as ContentHash)).toBeUndefined();
    database.exec('PRAGMA max_page_count = 1000000');
    await journal.append(lease, sampleCommit(runId, seq, [note('on')], { contents }));
    expect(await open().read(runId)).toHaveLength(seq + 1);
    expect(await journal.content('long' as ContentHash)).toBe(contents[0]?.text);
  });

  it('K6: in a process that may not write any more (ulimit -f), loses nothing that was acknowledged; another goes on', async () => {
    const script = join(import.meta.dirname, '..', 'contracts', 'journal-child.ts');
    const shell = `ulimit -f 400; exec "$0" "$1" append "$2" run_full`;
    const child = spawnSync('bash', ['-c', shell, process.execPath, script, file], { encoding: 'utf8' });
    expect(child.stderr).toMatch(/STORE_FAILED|the disk failed, or the file reached its size limit/);
    const acknowledged = Number(child.stdout.trim().split('\n').at(-1));
    const run = sampleRun('run_full');
    const journal = open();
    expect(await journal.read(run)).toHaveLength(acknowledged);
    const lease = await journal.acquire(run, sampleOwner('heir'));
    await journal.append(lease, sampleCommit(run, acknowledged, [note('on')]));
  });

  it('fails with STORE_FAILED while another process keeps the file locked, and goes on after it', { timeout: 20_000 }, async () => {
    const journal = open();
    const lease = await journal.acquire(runId, sampleOwner('a'));
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const error = await failure('STORE_FAILED', () => journal.append(lease, sampleCommit(runId, 0, [note('1')])));
    expect(error.message).toContain('locked');
    other.exec('ROLLBACK');
    other.close();
    await journal.append(lease, sampleCommit(runId, 0, [note('1')]));
  });
});
