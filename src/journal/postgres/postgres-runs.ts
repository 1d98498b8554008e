import { shownCost } from '../../core/state/budget.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunMarks, RunsFilter, RunSummary } from '../../core/events/journal.ts';
import { assertMayDelete, unknownRun } from '../commit-check.ts';
import { isOpenStatus, listedStatus } from '../run-summary.ts';
import type { Connections, Row } from './connections.ts';
import { holderColumns, isHeld } from './holder-state.ts';

/** Services of the list of runs. */
interface RunsParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly location: string;
  readonly lockClass: number;
}

/** List of runs, and people's marks on them. */
export class PostgresRuns {
  readonly #parts: RunsParts;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** Returns runs, newest first. */
  async list({ runId, isOpen, project, isDeleted, limit }: RunsFilter): Promise<readonly RunSummary[]> {
    const { schema, lockClass } = this.#parts;
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const where = [
      'runs.created_at IS NOT NULL',
      runId === undefined ? `runs.deleted_at IS ${isDeleted === true ? 'NOT NULL' : 'NULL'}` : `runs.run_id = ${parameter(runId)}`,
      ...(isOpen === true ? [`runs.status IN ('running', 'awaiting') AND NOT runs.imported`] : []),
      ...(project === undefined ? [] : [`runs.project = ${parameter(project)}`]),
    ];
    const { query } = await this.#parts.connections();
    const rows = await query(
      `SELECT runs.*, ${holderColumns(lockClass)}
       FROM "${schema}".runs AS runs LEFT JOIN "${schema}".owners AS owners ON owners.owner = runs.owner
       WHERE ${where.join(' AND ')} ORDER BY runs.created_at DESC, runs.run DESC ${limit === undefined || limit === Infinity ? '' : `LIMIT ${parameter(limit)}`}`,
      values,
    );
    return rows.map(toSummary);
  }

  /** Changes the marks of a run. Throws RUN_UNKNOWN, and RUN_LOCKED when deleting a run that a process holds. */
  async mark(runId: RunId, change: RunMarks): Promise<void> {
    const { schema, location, lockClass } = this.#parts;
    const connections = await this.#parts.connections();
    await connections.transaction(async (query) => {
      const [row] = await query(
        `SELECT runs.status, runs.imported, ${holderColumns(lockClass)}
         FROM "${schema}".runs AS runs LEFT JOIN "${schema}".owners AS owners ON owners.owner = runs.owner
         WHERE runs.run_id = $1 AND runs.created_at IS NOT NULL FOR UPDATE OF runs`,
        [runId],
      );
      if (row === undefined) throw unknownRun(location, runId);
      const isOpen = row['imported'] !== true && isOpenStatus(String(row['status']));
      if (typeof change.deletedAt === 'number' && isOpen && isHeld(row))
        assertMayDelete(location, runId, { owner: String(row['owner']), since: Number(row['since']) });
      await query(
        `UPDATE "${schema}".runs SET own_title = CASE WHEN $2::boolean THEN $3::text ELSE own_title END,
           project = CASE WHEN $4::boolean THEN $5::text ELSE project END,
           deleted_at = CASE WHEN $6::boolean THEN $7::double precision ELSE deleted_at END WHERE run_id = $1`,
        [runId, ...given(change.title), ...given(change.project), ...given(change.deletedAt)],
      );
    });
  }
}

/** Returns whether a mark is to be set, and to what. */
function given(value: string | number | null | undefined): readonly [boolean, string | number | null] {
  return [value !== undefined, typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : (value ?? null)];
}

function toSummary(row: Row): RunSummary {
  const { outcome } = row;
  const pending = typeof row['pending'] === 'number' ? row['pending'] : undefined;
  const status = String(row['status']);
  const isImported = row['imported'] === true;
  return {
    runId: String(row['run_id']) as RunId,
    title: String(row['own_title'] ?? row['title']),
    profile: String(row['profile']),
    status: listedStatus(status, pending),
    ...(pending === undefined ? {} : { pending }),
    ...(typeof outcome === 'string' ? { outcome } : {}),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    lastSeq: Number(row['last_seq']),
    agents: Number(row['agents']),
    turns: Number(row['turns']),
    inputTokens: Number(row['input_tokens']),
    outputTokens: Number(row['output_tokens']),
    ...(isImported ? { isImported: true as const } : {}),
    ...(typeof row['project'] === 'string' ? { project: row['project'] } : {}),
    ...(typeof row['deleted_at'] === 'number' ? { deletedAt: row['deleted_at'] } : {}),
    ...shownCost({ cost: Number(row['cost']), costUnknown: Number(row['unpriced']) > 0 }),
    ...(!isImported && isOpenStatus(status) && !isHeld(row) ? { isAbandoned: true as const } : {}),
  };
}
