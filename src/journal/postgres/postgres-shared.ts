import { nanoid } from 'nanoid';
import type { RunId } from '../../core/ids.ts';
import type { Lease, SharedJournal } from '../../core/events/journal.ts';
import { deletedRun, lockedRun } from '../commit-check.ts';
import type { Connections, Row } from './connections.ts';
import { sharedPrefix } from '../leases/lease-owner.ts';
import { holderColumns, holderState } from './holder-state.ts';

/** Services of a shared journal. */
interface SharedParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly location: string;
  readonly lockClass: number;
  /** Reads the texts of a run that was taken. */
  readonly onTaken: (runId: RunId, lastSeq: number) => Promise<void>;
  /** Works in the time that the journal waits for its server. */
  readonly guard: <T>(doing: string, work: () => Promise<T>) => Promise<T>;
}

/**
 * A journal for engines on several machines that work on the same runs.
 *
 * 1. A shared holder counts as alive until its run is taken over: it is no single process.
 * 2. A run changes between engines of one holder without a write: the sequence number that a commit expects keeps out one that is late.
 * 3. Its rows in `once` are those of open runs, and of runs that ended since the last `forget`.
 */
export class PostgresShared implements SharedJournal {
  readonly #parts: SharedParts;

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  async id(): Promise<string> {
    return (await this.#meta('journal_id', nanoid())) ?? '';
  }

  async runtime(mine?: string, { adopt = false }: { readonly adopt?: boolean } = {}): Promise<string | undefined> {
    return await this.#meta('runtime', mine, adopt);
  }

  async now(): Promise<number> {
    return await this.#parts.guard('asking for its time', async () => {
      const { query } = await this.#parts.connections();
      const [row] = await query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
      return Number(row?.['ms']);
    });
  }

  async acquire(runId: RunId, holder: string): Promise<Lease & { readonly isInterrupted: boolean }> {
    return await this.#parts.guard(`acquiring run ${runId}`, async () => {
      const owner = `${sharedPrefix}${holder}`;
      const { epoch, lastSeq, isInterrupted } = (await this.#held(runId, owner)) ?? (await this.#take(runId, owner));
      await this.#parts.onTaken(runId, lastSeq);
      return { runId, owner, epoch, isInterrupted };
    });
  }

  async stalled(
    holder: string,
    at: number,
    { orWaiting = false }: { readonly orWaiting?: boolean } = {},
  ): Promise<readonly { readonly runId: RunId; readonly lastSeq: number }[]> {
    return await this.#parts.guard('looking for runs that stand still', async () => {
      const { query } = await this.#parts.connections();
      const rows = await query(
        `SELECT run_id, last_seq FROM "${this.#parts.schema}".runs
         WHERE owner = $1 AND (status = 'running' OR ($3 AND status IN ('awaiting', 'idle'))) AND deleted_at IS NULL AND created_at IS NOT NULL AND updated_at < $2
         ORDER BY updated_at LIMIT CASE WHEN $3 THEN NULL ELSE 10000 END`,
        [`${sharedPrefix}${holder}`, at, orWaiting],
      );
      return rows.map((row) => ({ runId: String(row['run_id']) as RunId, lastSeq: Number(row['last_seq']) }));
    });
  }

  async hasApplied(runId: RunId, input: string): Promise<boolean> {
    return await this.#parts.guard(`looking for an input of run ${runId}`, async () => {
      const { query } = await this.#parts.connections();
      const rows = await query(
        `SELECT 1 FROM "${this.#parts.schema}".once WHERE run_id = $1 AND name = 'input ' || $2`,
        [runId, input],
        'cadre-applied',
      );
      return rows.length > 0;
    });
  }

  async mark(runId: RunId, name: string): Promise<boolean> {
    return await this.#parts.guard(`setting a mark of run ${runId}`, async () => {
      const { query } = await this.#parts.connections();
      const rows = await query(
        `INSERT INTO "${this.#parts.schema}".once (run_id, name) VALUES ($1, 'mark ' || $2) ON CONFLICT DO NOTHING RETURNING 1`,
        [runId, name],
        'cadre-mark',
      );
      return rows.length > 0;
    });
  }

  async forget(before: number): Promise<void> {
    await this.#parts.guard('forgetting the inputs of ended runs', async () => {
      const { query } = await this.#parts.connections();
      const s = `"${this.#parts.schema}"`;
      // Steps from run to run through the key of `once`: the work is in proportion to the runs there, not to all runs.
      await query(
        `WITH RECURSIVE known AS (
           (SELECT run_id FROM ${s}.once ORDER BY run_id LIMIT 1)
           UNION ALL
           SELECT (SELECT once.run_id FROM ${s}.once WHERE once.run_id > known.run_id ORDER BY once.run_id LIMIT 1)
           FROM known WHERE known.run_id IS NOT NULL
         )
         DELETE FROM ${s}.once USING known, ${s}.runs
         WHERE once.run_id = known.run_id AND runs.run_id = known.run_id AND runs.updated_at < $1
           AND runs.status NOT IN ('running', 'awaiting', 'idle')`,
        [before],
      );
    });
  }

  async #held(runId: RunId, owner: string): Promise<Taken | undefined> {
    const { query } = await this.#parts.connections();
    const [row] = await query(
      `SELECT epoch, last_seq, ${writtenEpoch(this.#parts.schema)} FROM "${this.#parts.schema}".runs AS runs WHERE run_id = $1 AND owner = $2 AND deleted_at IS NULL`,
      [runId, owner],
      'cadre-shared-lease',
    );
    return row === undefined ? undefined : takenOf(row);
  }

  async #take(runId: RunId, owner: string): Promise<Taken> {
    const { schema, lockClass, location } = this.#parts;
    const connections = await this.#parts.connections();
    return await connections.transaction(async (query) => {
      await query(`INSERT INTO "${schema}".runs (run_id) VALUES ($1) ON CONFLICT DO NOTHING`, [runId]);
      const [row = {}] = await query(
        `SELECT runs.epoch, runs.last_seq, runs.deleted_at, ${writtenEpoch(schema)}, ${holderColumns(lockClass)}
         FROM "${schema}".runs AS runs LEFT JOIN "${schema}".owners AS owners ON owners.owner = runs.owner
         WHERE runs.run_id = $1 FOR UPDATE OF runs`,
        [runId],
      );
      if (typeof row['deleted_at'] === 'number') throw deletedRun(location, runId);
      // Another engine of the holder may have been faster.
      if (row['owner'] === owner) return takenOf(row);
      const state = holderState(row);
      if (state.kind !== 'free' && state.kind !== 'gone') {
        const knownInMs = state.kind === 'unsure' ? state.knownInMs : state.kind === 'lost' ? 1_000 : undefined;
        throw lockedRun(location, runId, { owner: String(row['owner']), since: Number(row['since']), knownInMs });
      }
      const [taken = {}] = await query(
        `UPDATE "${schema}".runs SET epoch = epoch + 1, owner = $2, since = clock_timestamp(), claim = NULL WHERE run_id = $1
         RETURNING epoch, last_seq`,
        [runId, owner],
      );
      return takenOf({ ...row, ...taken });
    });
  }

  /** Returns a value of `meta`, after setting it when it is missing, or in any case. */
  async #meta(key: string, value: string | undefined, isForced = false): Promise<string | undefined> {
    return await this.#parts.guard('reading what the journal belongs to', async () => {
      const { schema } = this.#parts;
      const { query } = await this.#parts.connections();
      const then = isForced ? 'DO UPDATE SET value = excluded.value' : 'DO NOTHING';
      const [known] = await query(`SELECT value FROM "${schema}".meta WHERE key = $1`, [key]);
      if (value === undefined || (known !== undefined && !isForced))
        return known === undefined ? undefined : String(known['value']);
      await query(`INSERT INTO "${schema}".meta (key, value) VALUES ($1, $2) ON CONFLICT (key) ${then}`, [key, value]);
      const [now] = await query(`SELECT value FROM "${schema}".meta WHERE key = $1`, [key]);
      return now === undefined ? undefined : String(now['value']);
    });
  }
}

/** Lease of a shared holder, as it is in the row of a run. */
interface Taken {
  readonly epoch: number;
  readonly lastSeq: number;
  readonly isInterrupted: boolean;
}

/** Column with the epoch under which the newest commit of a run (`runs`) was written. */
function writtenEpoch(schema: string): string {
  return `(SELECT epoch FROM "${schema}".commits WHERE commits.run_id = runs.run_id ORDER BY commits.last_seq DESC LIMIT 1) AS written`;
}

function takenOf(row: Row): Taken {
  const lastSeq = Number(row['last_seq']);
  const epoch = Number(row['epoch']);
  return { epoch, lastSeq, isInterrupted: lastSeq > 0 && Number(row['written']) !== epoch };
}
