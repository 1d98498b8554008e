import { crc32 } from 'node:zlib';
import type { DatabaseSync } from 'node:sqlite';
import { CadreError } from '../../core/error.ts';
import { addCosts } from './sqlite-add-costs.ts';
import { corruptJournal, isFull, isLocked } from './sqlite-failure.ts';

/** Layout that this version writes. A file with a higher number is refused, one with a lower number is migrated. */
export const schemaVersion = 6;

/** Oldest layout that can be read without migration, where nothing may be written. */
export const oldestReadable = 2;

/** Sequence numbers per run; `commits.key` is `run * keySpan + first sequence number`, so that a run's commits are adjacent. */
export const keySpan = 2 ** 31;

/** Runs per file, so that every key is an exact number in JavaScript. */
export const maxRuns = 2 ** 22 - 1;

const marks = `
CREATE TABLE marks (run_id TEXT PRIMARY KEY, title TEXT, project TEXT, deleted_at REAL) WITHOUT ROWID;
`;

const owners = `
CREATE TABLE IF NOT EXISTS owners (
  owner TEXT PRIMARY KEY, machine TEXT NOT NULL, clock TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL, beat INTEGER NOT NULL,
  beat_at REAL NOT NULL, beat_ms REAL NOT NULL, expiry_ms REAL NOT NULL, asked_clock TEXT, asked_at REAL
) WITHOUT ROWID;
`;

const seals = `
CREATE TABLE IF NOT EXISTS seals (key INTEGER PRIMARY KEY, seal BLOB NOT NULL);
`;

/** Indexes for lists of runs. A file of an earlier version gets them when it is opened for writing; without them lists are only slower. */
const listIndexes = `
CREATE INDEX IF NOT EXISTS runs_newest ON runs (created_at DESC, run DESC);
CREATE INDEX IF NOT EXISTS runs_open ON runs (created_at DESC, run DESC) WHERE status IN ('running', 'awaiting');
`;

/*
 * commits: one row per commit, or several of one transaction when it has more than a thousand events. The body (event-codec.ts) comes
 *   last, because the columns before it are read without it. The six counts are the run's totals up to and including this commit, so
 *   that a commit writes one page and not two. `cost` is in US dollars, `unpriced` counts model calls without a price, `sum` is
 *   `commitSum`.
 * contents: texts, each stored once. A text that UTF-8 cannot hold (lone surrogates) is kept as UTF-16 bytes.
 * runs: the part of a summary that rarely changes; the rest is in the run's last commit. `pending` counts approvals and questions
 *   waiting for a person; it is null while the run has written nothing since layout 5.
 * marks: people's marks on runs: a title that replaces the run's own, a project, the time of deletion. No row = no marks.
 * leases: `owner` is null for a free run; `epoch` only ever grows. `birth` belongs to layouts 0 to 3, which have no owners.
 * seals: the seal of each commit that was written with a key (commit-chain.ts), by the key of its row.
 * owners: one row for each engine that holds runs: the identity of its process (leases/process-watch.ts) and its heartbeats.
 *
 * Two more tables are made when they are first needed, and belong to no number of the layout: `loose_texts` (sqlite-eraser.ts), texts of
 * erased runs that may still be in use, and `snapshots` and `snapshot_parts` (sqlite-snapshots.ts), the state of long runs.
 */
const layout = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE runs (
  run INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, profile TEXT NOT NULL, status TEXT NOT NULL,
  outcome TEXT, created_at REAL NOT NULL, pending INTEGER
);
CREATE TABLE commits (
  key INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, at REAL NOT NULL, agents INTEGER NOT NULL, turns INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, unpriced INTEGER NOT NULL,
  sum INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE TABLE contents (hash TEXT PRIMARY KEY, sum INTEGER NOT NULL, text NOT NULL);
CREATE TABLE leases (run_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, owner TEXT, since REAL, birth TEXT) WITHOUT ROWID;
${marks}${owners}${seals}${listIndexes}`;

/** One step from a layout to the next, run inside the transaction of all steps. */
type Migration = (database: DatabaseSync) => void;

/** `migrations[n]` migrates a file of version n to version n + 1. Steps never change once released. */
const migrations: readonly Migration[] = [addChecksums, addCosts, addMarks, addOwners, addSeals, addPending];

/** Computes the checksum of a stored text; it detects bytes changed on disk, which SQLite does not. */
export function contentSum(text: string | Uint8Array): number {
  return crc32(text);
}

/** The part of a `commits` row that its checksum covers. */
export interface SummedRow {
  readonly key: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly body: string;
}

/** Computes the checksum of a commit's row, over everything its events are decoded from. */
export function commitSum({ key, lastSeq, at, body }: SummedRow): number {
  return crc32(body, crc32(`${key} ${lastSeq} ${at}`));
}

/** Writes the newest layout into an empty database. */
export function createLayout(database: DatabaseSync): void {
  database.exec(`BEGIN IMMEDIATE; ${layout}`);
  database.prepare(`INSERT INTO meta VALUES ('schema_version', ?)`).run(schemaVersion);
  database.exec('COMMIT');
}

/** Adds the indexes for lists that a file of an earlier version lacks, unless another process is writing to it. */
export function addListIndexes(database: DatabaseSync): void {
  const { found } =
    database.prepare(`SELECT count(*) AS found FROM sqlite_schema WHERE name IN ('runs_newest', 'runs_open')`).get() ?? {};
  if (found === 2) return;
  try {
    database.exec(listIndexes);
  } catch (thrown) {
    // The next process that opens it tries again.
    if (!isLocked(thrown) && !isFull(thrown)) throw thrown;
  }
}

/** Reads a file's layout version. Throws STORE_CORRUPT when it is not a journal, STORE_NEWER when a newer Cadre wrote it. */
export function readVersion(database: DatabaseSync, file: string): number {
  const isJournal = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`).get() !== undefined;
  if (!isJournal) throw corruptJournal(file, 'the file is a SQLite database, but not a journal of Cadre');
  const version = database.prepare(`SELECT value FROM meta WHERE key = 'schema_version'`).get()?.['value'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) {
    throw corruptJournal(file, `${JSON.stringify(version)} is not a layout version`, { where: 'table meta, row schema_version' });
  }
  if (version > schemaVersion) {
    throw new CadreError(
      'STORE_NEWER',
      `${file}: the journal has layout ${version}, this version of Cadre knows layouts up to ${schemaVersion}; update Cadre to open it. Nothing was changed`,
      { details: { file, version, supported: schemaVersion } },
    );
  }
  return version;
}

/** Migrates an older file to the newest layout, all steps in one transaction. */
export function migrate(database: DatabaseSync, file: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have been faster.
    for (let version = readVersion(database, file); version < schemaVersion; version += 1) migrations[version]?.(database);
    database.prepare(`UPDATE meta SET value = ? WHERE key = 'schema_version'`).run(schemaVersion);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** 2 → 3: marks of runs (project, title, deletion). */
function addMarks(database: DatabaseSync): void {
  database.exec(marks);
}

/** 3 → 4: heartbeats of lease holders. */
function addOwners(database: DatabaseSync): void {
  database.exec(owners);
}

/** 4 → 5: seals of commits. */
function addSeals(database: DatabaseSync): void {
  database.exec(seals);
}

/** 5 → 6: pending requests of runs. Unknown for an older run until it continues. */
function addPending(database: DatabaseSync): void {
  const has = database.prepare(`SELECT 1 FROM pragma_table_info('runs') WHERE name = 'pending'`).get() !== undefined;
  if (!has) database.exec('ALTER TABLE runs ADD COLUMN pending INTEGER');
}

/** 0 → 1: rows carry a checksum. Columns cannot be added in front of the body, so both tables are rewritten. */
function addChecksums(database: DatabaseSync): void {
  database.function('commit_sum', (key, lastSeq, at, body) =>
    commitSum({ key: Number(key), lastSeq: Number(lastSeq), at: Number(at), body: String(body) }),
  );
  database.function('content_sum', (text) => contentSum(text instanceof Uint8Array ? text : String(text)));
  database.exec(`
    ALTER TABLE commits RENAME TO commits_0;
    ALTER TABLE contents RENAME TO contents_0;
    CREATE TABLE commits (
      key INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, at REAL NOT NULL, agents INTEGER NOT NULL, turns INTEGER NOT NULL,
      input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, sum INTEGER NOT NULL, body TEXT NOT NULL
    );
    CREATE TABLE contents (hash TEXT PRIMARY KEY, sum INTEGER NOT NULL, text NOT NULL);
    INSERT INTO commits SELECT key, last_seq, at, agents, turns, input_tokens, output_tokens, commit_sum(key, last_seq, at, body), body FROM commits_0;
    INSERT INTO contents SELECT hash, content_sum(text), text FROM contents_0;
    DROP TABLE commits_0;
    DROP TABLE contents_0;
  `);
}
