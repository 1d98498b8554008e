import type { Lease, Snapshot } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import { marksOf, toSnapshot } from '../snapshot-check.ts';
import type { Connections } from './connections.ts';

/** Services and settings of the snapshots of one journal. */
interface SnapshotParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly key: Uint8Array | undefined;
}

/** Snapshots of runs, one row each; one that does not fit the commit at its end, or was changed, counts as none. */
export class PostgresSnapshots {
  readonly #parts: SnapshotParts;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** Keeps a snapshot, or drops the one there is; nothing without the lease, or when the run has no commit that ends there. */
  async keep(lease: Lease, snapshot: Snapshot | undefined): Promise<void> {
    const { schema, key } = this.#parts;
    const { query } = await this.#parts.connections();
    if (snapshot === undefined) {
      for (const table of ['snapshots', 'snapshot_parts'])
        await query(`DELETE FROM "${schema}".${table} WHERE run_id = $1`, [lease.runId]);
      return;
    }
    const { sum, seal } = marksOf(key, lease.runId, snapshot);
    const kept = await query(
      `INSERT INTO "${schema}".snapshots (run_id, seq, commit_sum, layout, sum, seal, body)
       SELECT runs.run_id, commits.last_seq, commits.sum, $5, $6, $7, $8
       FROM "${schema}".runs AS runs JOIN "${schema}".commits AS commits ON commits.run_id = runs.run_id AND commits.last_seq = $4
       WHERE runs.run_id = $1 AND runs.epoch = $2 AND runs.owner = $3
       ON CONFLICT (run_id) DO UPDATE SET seq = excluded.seq, commit_sum = excluded.commit_sum, layout = excluded.layout, sum = excluded.sum,
         seal = excluded.seal, body = excluded.body
       RETURNING run_id`,
      [lease.runId, lease.epoch, lease.owner, snapshot.seq, snapshot.layout, sum, seal, snapshot.body],
      'cadre-snapshot',
    );
    // The parts of a snapshot that was not kept belong to another one.
    if (kept.length === 0) return;
    await query(`DELETE FROM "${schema}".snapshot_parts WHERE run_id = $1 AND name <> ALL ($2)`, [
      lease.runId,
      snapshot.parts ?? [],
    ]);
  }

  /** Keeps a part for later snapshots; nothing without the lease. */
  async keepPart(lease: Lease, name: string, body: string): Promise<void> {
    const { query } = await this.#parts.connections();
    await query(
      `INSERT INTO "${this.#parts.schema}".snapshot_parts (run_id, name, body)
       SELECT run_id, $4, $5 FROM "${this.#parts.schema}".runs WHERE run_id = $1 AND epoch = $2 AND owner = $3
       ON CONFLICT (run_id, name) DO UPDATE SET body = excluded.body`,
      [lease.runId, lease.epoch, lease.owner, name, body],
      'cadre-snapshot-part',
    );
  }

  /** Returns the parts of a run by name. */
  async parts(runId: RunId): Promise<ReadonlyMap<string, string>> {
    const { query } = await this.#parts.connections();
    const rows = await query(`SELECT name, body FROM "${this.#parts.schema}".snapshot_parts WHERE run_id = $1`, [runId]);
    return new Map(rows.map(({ name, body }) => [String(name), String(body)]));
  }

  /** Returns the snapshot of a run that can be relied on. */
  async find(runId: RunId): Promise<Snapshot | undefined> {
    const { schema, key } = this.#parts;
    const { query } = await this.#parts.connections();
    const [row] = await query(
      `SELECT snapshots.seq, snapshots.layout, snapshots.sum, snapshots.seal, snapshots.body
       FROM "${schema}".snapshots AS snapshots JOIN "${schema}".commits AS commits
         ON commits.run_id = snapshots.run_id AND commits.last_seq = snapshots.seq AND commits.sum = snapshots.commit_sum
       WHERE snapshots.run_id = $1`,
      [runId],
    );
    return row === undefined ? undefined : toSnapshot(key, runId, row);
  }
}
