import type { RunsFilter } from '../../core/events/journal.ts';
import { holderColumns } from '../leases/holder.ts';

/** Tables of marks and owners, or what takes their place in an older file. */
export interface ListTables {
  readonly marks: string;
  readonly owners: string;
}

/**
 * Returns the statement that lists the runs of a filter. Filters do not share a statement, so that each uses an index: a list of few runs
 * takes as long in a large journal as in a small one.
 */
export function listStatement({ runId, isOpen, project, isDeleted, limit }: RunsFilter, { marks, owners }: ListTables): string {
  const where = [
    runId === undefined ? `marks.deleted_at IS ${isDeleted === true ? 'NOT NULL' : 'NULL'}` : 'runs.run_id = ?',
    ...(isOpen === true ? [`runs.status IN ('running', 'awaiting')`] : []),
    ...(project === undefined ? [] : ['marks.project = ?']),
  ];
  // Few runs have marks.
  const from =
    isDeleted === true || project !== undefined
      ? `${marks} AS marks CROSS JOIN runs ON runs.run_id = marks.run_id`
      : `runs LEFT JOIN ${marks} AS marks ON marks.run_id = runs.run_id`;
  return `SELECT listed.*, last.last_seq, last.at, last.agents, last.turns, last.input_tokens, last.output_tokens, last.cost, last.unpriced,
      ${holderColumns}
    FROM (
      SELECT runs.*, marks.title AS own_title, marks.project AS project, marks.deleted_at AS deleted_at FROM ${from}
      WHERE ${where.join(' AND ')} ORDER BY runs.created_at DESC, runs.run DESC ${limit === undefined || limit === Infinity ? '' : 'LIMIT ?'}
    ) AS listed LEFT JOIN leases ON leases.run_id = listed.run_id LEFT JOIN ${owners} AS owners ON owners.owner = leases.owner
    LEFT JOIN commits AS last ON last.key = (SELECT max(key) FROM commits WHERE key > listed.run << 31 AND key < (listed.run + 1) << 31)
    ORDER BY listed.created_at DESC, listed.run DESC`;
}
