import type { RunId } from '../../core/ids.ts';
import { addressesIn } from '../codec/text-refs.ts';
import { assertMayErase, unknownRun } from '../commit-check.ts';
import { isOpenStatus } from '../run-summary.ts';
import { findLoose, type FoundText, type TextPlaces } from '../loose-texts.ts';
import type { Connections, Row, Sql } from './connections.ts';
import { sharedPrefix } from '../leases/lease-owner.ts';
import { holderColumns, isHeld } from './holder-state.ts';
import { readText } from './stored-text.ts';

/** Rows of one statement. */
const pageSize = 1_000;
const textsPerPage = 200;

/** Services of an eraser. */
interface EraserParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly location: string;
  readonly lockClass: number;
}

/**
 * Erases runs, and texts that nothing refers to.
 *
 * 1. A run is erased in one transaction, which also notes its texts in `loose_texts`: an interrupted `eraseLooseTexts` loses none of them.
 *    Its row stays, empty, with the epoch of its lease.
 * 2. The search reads in pages and locks nothing. Texts are erased a few hundred at a time, while `contents` is locked against appends, and
 *    only after a look at the runs that were written since the search began.
 */
export class PostgresEraser {
  readonly #parts: EraserParts;

  constructor(parts: EraserParts) {
    this.#parts = parts;
  }

  /** Erases a run. Throws RUN_UNKNOWN or RUN_LOCKED. */
  async erase(runId: RunId): Promise<void> {
    const { schema, location, lockClass } = this.#parts;
    const connections = await this.#parts.connections();
    await connections.transaction(async (query) => {
      const [row] = await query(
        `SELECT runs.status, runs.imported, runs.deleted_at, ${holderColumns(lockClass)}
         FROM "${schema}".runs AS runs LEFT JOIN "${schema}".owners AS owners ON owners.owner = runs.owner
         WHERE runs.run_id = $1 AND runs.created_at IS NOT NULL FOR UPDATE OF runs`,
        [runId],
      );
      if (row === undefined) throw unknownRun(location, runId);
      const status = row['imported'] === true ? 'imported' : String(row['status']);
      const owner = String(row['owner']);
      // Engines of a runtime never release a run: one that has ended is at work for none of them.
      const isLeft = owner.startsWith(sharedPrefix) && !isOpenStatus(status);
      const holder = isHeld(row) && !isLeft ? { owner, since: Number(row['since']) } : undefined;
      assertMayErase(location, runId, { status, isDeleted: typeof row['deleted_at'] === 'number', holder });
      await query(
        `INSERT INTO "${schema}".loose_texts (hash, run_id)
         SELECT DISTINCT refs.hash, $1 FROM "${schema}".commits, unnest(string_to_array(commits.refs, ' ')) AS refs (hash)
         WHERE commits.run_id = $1 ON CONFLICT (hash) DO UPDATE SET run_id = excluded.run_id`,
        [runId],
      );
      await query(`DELETE FROM "${schema}".commits WHERE run_id = $1`, [runId]);
      await query(`DELETE FROM "${schema}".snapshots WHERE run_id = $1`, [runId]);
      await query(`DELETE FROM "${schema}".snapshot_parts WHERE run_id = $1`, [runId]);
      await query(`DELETE FROM "${schema}".once WHERE run_id = $1`, [runId]);
      await query(
        `UPDATE "${schema}".runs SET last_seq = 0, epoch = epoch + 1, owner = NULL, since = NULL, claim = NULL, created_at = NULL,
           updated_at = NULL, title = '', profile = '', status = 'running', outcome = NULL, pending = NULL, imported = false, sealed = false,
           agents = 0, turns = 0, input_tokens = 0, output_tokens = 0, cost = 0, unpriced = 0,
           own_title = NULL, project = NULL, deleted_at = NULL
         WHERE run_id = $1`,
        [runId],
      );
    });
  }

  /** Erases loose texts; returns how many. */
  async eraseLooseTexts(): Promise<number> {
    const connections = await this.#parts.connections();
    const { schema } = this.#parts;
    let erased = 0;
    for (;;) {
      const noted = await connections.query(`SELECT hash, run_id FROM "${schema}".loose_texts`);
      if (noted.length === 0) return erased;
      const [begin] = await connections.query('SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text AS oldest');
      const loose = await findLoose(
        this.#places(connections.query),
        noted.map(({ hash }) => String(hash)),
      );
      const { count, isCurrent } = await this.#eraseTexts(connections, loose, String(begin?.['oldest']));
      erased += count;
      if (!isCurrent) continue;
      await this.#forget(connections.query, noted);
      return erased;
    }
  }

  /** Erases texts in portions, until a run turns up that was written since the search and refers to one of them. */
  async #eraseTexts(
    connections: Connections,
    loose: ReadonlySet<string>,
    oldest: string,
  ): Promise<{ readonly count: number; readonly isCurrent: boolean }> {
    const { schema } = this.#parts;
    const all = [...loose];
    let count = 0;
    for (let at = 0; at < all.length; at += pageSize) {
      const erased = await connections.transaction(async (query) => {
        // Waits for the appends that are on their way.
        await query(`LOCK TABLE "${schema}".contents IN SHARE ROW EXCLUSIVE MODE`);
        if (await this.#isReferredTo(query, loose, oldest)) return undefined;
        return (await query(`DELETE FROM "${schema}".contents WHERE hash = ANY($1) RETURNING hash`, [all.slice(at, at + pageSize)]))
          .length;
      });
      if (erased === undefined) return { count, isCurrent: false };
      count += erased;
    }
    return { count, isCurrent: true };
  }

  /** True when a run whose row has changed since transaction `oldest` refers to one of these texts. */
  async #isReferredTo(query: Sql, loose: ReadonlySet<string>, oldest: string): Promise<boolean> {
    const { schema } = this.#parts;
    const rows = await query(
      `SELECT DISTINCT refs.hash FROM "${schema}".runs AS runs JOIN "${schema}".commits AS commits ON commits.run_id = runs.run_id,
         unnest(string_to_array(commits.refs, ' ')) AS refs (hash)
       WHERE age(runs.xmin) <= age($1::xid)`,
      [oldest],
    );
    const read = new Set<string>();
    let next = rows.map(({ hash }) => String(hash));
    while (next.length > 0) {
      if (next.some((hash) => loose.has(hash))) return true;
      for (const hash of next) read.add(hash);
      const found = await this.#read(query, next);
      next = [...new Set(found.flatMap(({ text }) => [...addressesIn(text)]))].filter((hash) => !read.has(hash));
    }
    return false;
  }

  async #forget(query: Sql, noted: readonly Row[]): Promise<void> {
    for (let at = 0; at < noted.length; at += pageSize) {
      const portion = noted.slice(at, at + pageSize);
      await query(
        `DELETE FROM "${this.#parts.schema}".loose_texts AS texts USING unnest($1::text[], $2::text[]) AS noted (hash, run_id)
         WHERE texts.hash = noted.hash AND texts.run_id = noted.run_id`,
        [portion.map(({ hash }) => hash), portion.map(({ run_id: runId }) => runId)],
      );
    }
  }

  #places(query: Sql): TextPlaces {
    const { schema } = this.#parts;
    return {
      read: (hashes) => this.#read(query, hashes),
      async *commitRefs() {
        for (let last = ['', 0] as readonly [string, number]; ;) {
          const rows = await query(
            `SELECT run_id, last_seq, refs FROM "${schema}".commits WHERE (run_id, last_seq) > ($1, $2) ORDER BY run_id, last_seq LIMIT ${pageSize}`,
            last,
          );
          const end = rows.at(-1);
          if (end === undefined) return;
          yield rows.flatMap(({ refs }) => (typeof refs === 'string' ? refs.split(' ') : []));
          last = [String(end['run_id']), Number(end['last_seq'])];
        }
      },
      async *texts() {
        for (let last = ''; ;) {
          const rows = await query(
            `SELECT hash, text, raw FROM "${schema}".contents WHERE hash > $1 ORDER BY hash LIMIT ${textsPerPage}`,
            [last],
          );
          const end = rows.at(-1);
          if (end === undefined) return;
          yield rows.map(toFound);
          last = String(end['hash']);
        }
      },
    };
  }

  async #read(query: Sql, hashes: readonly string[]): Promise<readonly FoundText[]> {
    const rows = await query(`SELECT hash, text, raw FROM "${this.#parts.schema}".contents WHERE hash = ANY($1)`, [hashes]);
    return rows.map(toFound);
  }
}

function toFound(row: Row): FoundText {
  const { hash, text, raw } = row;
  return {
    hash: String(hash),
    text: readText({ text: typeof text === 'string' ? text : null, raw: raw instanceof Buffer ? raw : null }),
  };
}
