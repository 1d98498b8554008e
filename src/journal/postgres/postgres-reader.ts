import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import { decodeCommit } from '../codec/event-codec.ts';
import type { StoredCommit } from '../codec/turn-events.ts';
import type { Connections, Row } from './connections.ts';
import { corruptPostgres, newerPostgresEvents } from './postgres-failure.ts';
import { rowSum, type SummedRow } from './postgres-schema.ts';
import type { RowSeals } from './row-seals.ts';

/** Most rows of one query; more are read in several. */
const pageRows = 500;

/** Services of a reader. */
interface ReaderParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly location: string;
  readonly seals: RowSeals;
}

/** A checked row of `commits`. */
interface CheckedRow extends SummedRow {
  readonly runId: RunId;
  readonly refs: readonly string[];
}

/** Events that were read, and what is known of the texts they refer to. */
export interface ReadEvents {
  readonly events: readonly CadreEvent[];
  readonly rows: readonly Pick<CheckedRow, 'firstSeq' | 'lastSeq' | 'refs'>[];
}

/** Reads commits without trusting the store: checks every row against its checksum, its seal and its neighbours. */
export class PostgresReader {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Returns at most `limit` events of a run after sequence number `after`; undefined when there is no such run. */
  async events(runId: RunId, after: number, limit: number): Promise<ReadEvents | undefined> {
    const events: CadreEvent[] = [];
    const read: CheckedRow[] = [];
    for await (const page of this.#pages(runId, after, limit)) {
      if (page === undefined) return undefined;
      for (const row of page) {
        if (events.length >= limit) break;
        read.push(row);
        for (const event of this.#decode(row)) if (event.seq > after && events.length < limit) events.push(event);
      }
      if (events.length >= limit) break;
    }
    return { events, rows: read };
  }

  /** Returns all commits of a run, checked like events but decoded on demand; undefined when there is no such run. */
  async commits(
    runId: RunId,
  ): Promise<{ readonly commits: readonly StoredCommit[]; readonly rows: ReadEvents['rows'] } | undefined> {
    const rows: CheckedRow[] = [];
    for await (const page of this.#pages(runId, 0, Infinity)) {
      if (page === undefined) return undefined;
      rows.push(...page);
    }
    const commits = rows.map((row) => ({ firstSeq: row.firstSeq, body: row.body, events: () => this.#decode(row) }));
    return { commits, rows };
  }

  /** Yields the rows of a run with events after `after`, page by page; undefined when there is no such run. */
  async *#pages(runId: RunId, after: number, limit: number): AsyncGenerator<readonly CheckedRow[] | undefined> {
    const { schema, seals } = this.#parts;
    const { query } = await this.#parts.connections();
    const most = Math.min(pageRows, limit);
    let last = after;
    let check: Awaited<ReturnType<RowSeals['checker']>> | undefined;
    for (;;) {
      // One statement sees the run and its commits at one moment.
      const found = await query(
        `SELECT runs.last_seq AS end, page.* FROM "${schema}".runs LEFT JOIN LATERAL (
           SELECT first_seq, last_seq, at, sum, refs, seal, body FROM "${schema}".commits
           WHERE commits.run_id = runs.run_id AND commits.last_seq > $2::integer ORDER BY commits.last_seq LIMIT $3::integer
         ) AS page ON true WHERE runs.run_id = $1 AND runs.created_at IS NOT NULL ORDER BY page.last_seq`,
        [runId, Math.min(last, 2 ** 31 - 1), most],
        'cadre-read',
      );
      if (found.length === 0) return yield undefined;
      const end = Number(found[0]?.['end']);
      const page: CheckedRow[] = [];
      for (const row of found.filter((each) => each['first_seq'] !== null)) {
        const checked = this.#checked(runId, row);
        const expected = last === after ? Math.min(checked.firstSeq, after + 1) : last + 1;
        if (checked.firstSeq !== expected) throw this.#gap(runId, last, checked.firstSeq);
        check ??= await seals.checker(query, runId, checked.firstSeq - 1);
        check(checked, row);
        last = checked.lastSeq;
        page.push(checked);
      }
      const isLast = found.length < most || last >= end;
      if (isLast && most > 0 && last < end) throw this.#gap(runId, last, undefined);
      yield page;
      if (isLast || most === 0) return;
    }
  }

  #checked(runId: RunId, row: Row): CheckedRow {
    const { body, refs } = row;
    const place = { runId, firstSeq: Number(row['first_seq']), lastSeq: Number(row['last_seq']), at: Number(row['at']) };
    if (typeof body !== 'string' || rowSum({ ...place, body }) !== row['sum'])
      throw corruptPostgres(this.#parts.location, 'the events are not the ones that were stored (their checksum differs)', {
        where: this.#placeOf(place),
      });
    return { ...place, body, refs: typeof refs === 'string' && refs !== '' ? refs.split(' ') : [] };
  }

  #decode(row: CheckedRow): readonly CadreEvent[] {
    const { location } = this.#parts;
    const where = this.#placeOf(row);
    let events: readonly CadreEvent[];
    try {
      events = decodeCommit(row.body, row);
    } catch (error) {
      if (error instanceof CadreError && error.code === 'STORE_NEWER') throw newerPostgresEvents(location, where, error);
      throw corruptPostgres(location, 'the events cannot be read', { where, cause: error });
    }
    if (row.firstSeq + events.length - 1 !== row.lastSeq)
      throw corruptPostgres(location, `the row ends at seq ${row.lastSeq} but holds ${events.length} events`, { where });
    return events;
  }

  #gap(runId: RunId, lastSeq: number, firstSeq: number | undefined): CadreError {
    const next = firstSeq === undefined ? 'there is no row' : `the next row begins at ${firstSeq}`;
    return corruptPostgres(this.#parts.location, `after seq ${lastSeq} ${next}; events are missing`, {
      where: `table ${this.#parts.schema}.commits, run ${runId}`,
    });
  }

  #placeOf({ runId, firstSeq }: Pick<SummedRow, 'runId' | 'firstSeq'>): string {
    return `table ${this.#parts.schema}.commits, run ${runId} from seq ${firstSeq}`;
  }
}
