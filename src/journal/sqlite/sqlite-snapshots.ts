import type { DatabaseSync } from 'node:sqlite';
import type { Lease, Snapshot } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import { marksOf, toSnapshot } from '../snapshot-check.ts';

const layout = `CREATE TABLE IF NOT EXISTS snapshots (
  run_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, commit_sum INTEGER NOT NULL, layout TEXT NOT NULL, sum INTEGER NOT NULL, seal BLOB, body BLOB NOT NULL
)`;

const partLayout = `CREATE TABLE IF NOT EXISTS snapshot_parts (
  run_id TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run_id, name)
)`;

/** The row of the commit that ends at a sequence number of a run. */
const commitAt = `SELECT commits.last_seq, commits.sum FROM runs JOIN commits
  ON commits.key = (SELECT max(key) FROM commits WHERE key > runs.run << 31 AND key <= (runs.run << 31) + :seq) WHERE runs.run_id = :runId`;

/**
 * Snapshots of runs, one row each. The table is made with the first one; older versions of Cadre leave it alone.
 *
 * A snapshot counts only if its checksum, its seal (with a key) and the commit at its end are right; otherwise there is none.
 */
export class SqliteSnapshots {
  readonly #database: DatabaseSync;
  readonly #key: Uint8Array | undefined;

  constructor(database: DatabaseSync, key: Uint8Array | undefined) {
    this.#database = database;
    this.#key = key;
  }

  /** Keeps a snapshot, or drops the one there is; nothing without the lease, or when the run has no commit that ends there. */
  keep(lease: Lease, snapshot: Snapshot | undefined): void {
    const database = this.#database;
    if (snapshot === undefined) {
      this.drop(lease.runId);
      return;
    }
    const { seq, body } = snapshot;
    database.exec(layout);
    const { changes } = database
      .prepare(
        `INSERT OR REPLACE INTO snapshots (run_id, seq, commit_sum, layout, sum, seal, body)
         SELECT leases.run_id, :seq, ends.sum, :layout, :sum, :seal, :body FROM leases JOIN (${commitAt}) AS ends ON ends.last_seq = :seq
         WHERE leases.run_id = :runId AND leases.epoch = :epoch AND leases.owner = :owner`,
      )
      .run({
        runId: lease.runId,
        epoch: lease.epoch,
        owner: lease.owner,
        seq,
        layout: snapshot.layout,
        ...marksOf(this.#key, lease.runId, snapshot),
        body,
      });
    // The parts of a snapshot that was not kept belong to another one.
    if (changes > 0 && this.#exists('snapshot_parts'))
      database
        .prepare('DELETE FROM snapshot_parts WHERE run_id = ? AND name NOT IN (SELECT value FROM json_each(?))')
        .run(lease.runId, JSON.stringify(snapshot.parts ?? []));
  }

  /** Keeps a part for later snapshots; nothing without the lease. */
  keepPart(lease: Lease, name: string, body: string): void {
    this.#database.exec(partLayout);
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO snapshot_parts (run_id, name, body)
         SELECT run_id, ?, ? FROM leases WHERE run_id = ? AND epoch = ? AND owner = ?`,
      )
      .run(name, body, lease.runId, lease.epoch, lease.owner);
  }

  /** Returns the parts of a run by name. */
  parts(runId: RunId): ReadonlyMap<string, string> {
    if (!this.#exists('snapshot_parts')) return new Map();
    const rows = this.#database.prepare('SELECT name, body FROM snapshot_parts WHERE run_id = ?').all(runId);
    // An earlier version kept bytes, for snapshots of a form that is not read any more.
    return new Map(rows.map(({ name, body }) => [String(name), typeof body === 'string' ? body : '']));
  }

  /** Returns the snapshot of a run that can be relied on. */
  find(runId: RunId): Snapshot | undefined {
    if (!this.#exists('snapshots')) return undefined;
    const row = this.#database
      .prepare('SELECT seq, commit_sum, layout, sum, seal, body FROM snapshots WHERE run_id = ?')
      .get(runId);
    if (row === undefined) return undefined;
    const end = this.#database.prepare(commitAt).get({ runId, seq: Number(row['seq']) });
    return end?.['last_seq'] === row['seq'] && end?.['sum'] === row['commit_sum'] ? toSnapshot(this.#key, runId, row) : undefined;
  }

  /** Drops the snapshot of a run. */
  drop(runId: RunId): void {
    for (const table of ['snapshots', 'snapshot_parts'] as const)
      if (this.#exists(table)) this.#database.prepare(`DELETE FROM ${table} WHERE run_id = ?`).run(runId);
  }

  #exists(table: 'snapshots' | 'snapshot_parts'): boolean {
    return this.#database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
  }
}
