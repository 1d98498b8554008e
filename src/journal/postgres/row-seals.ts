import { timingSafeEqual } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import type { Commit } from '../../core/events/journal.ts';
import type { RunId } from '../../core/ids.ts';
import { sealCommit } from '../commit-chain.ts';
import type { Row, Sql } from './connections.ts';
import type { SummedRow } from './postgres-schema.ts';

/** Settings of the seals of one journal. */
interface SealParts {
  readonly schema: string;
  readonly location: string;
  readonly key: Uint8Array | undefined;
}

/**
 * Seals of commits, in their rows: the chain of commit-chain.ts over the rows of each run.
 *
 * 1. With a key, a run without seals is refused; without a key, nothing is appended to a run with seals.
 * 2. Detects a row that was changed, added, moved or removed; not commits cut off at the end together with the run's last sequence number.
 */
export class RowSeals {
  readonly #parts: SealParts;
  /** Seal of the last row of each run that is written here. */
  readonly #last = new Map<RunId, { readonly seq: number; readonly seal: Uint8Array }>();

  constructor(parts: SealParts) {
    this.#parts = parts;
  }

  /** True when rows are sealed. */
  get isKeyed(): boolean {
    return this.#parts.key !== undefined;
  }

  /** Returns the seal of the row before a commit; undefined without a key, and for a first commit. */
  async before(query: Sql, { runId, expectedSeq }: Pick<Commit, 'runId' | 'expectedSeq'>): Promise<Uint8Array | undefined> {
    if (!this.isKeyed || expectedSeq === 0) return undefined;
    const known = this.#last.get(runId);
    if (known?.seq === expectedSeq) return known.seal;
    return await this.#read(query, runId, expectedSeq);
  }

  /** Returns the seal of a row; undefined without a key. */
  sealOf(before: Uint8Array | undefined, row: SummedRow): Uint8Array | undefined {
    return this.#parts.key === undefined ? undefined : sealCommit(this.#parts.key, before, row);
  }

  /** Remembers the last row that was written. */
  note(runId: RunId, row: { readonly lastSeq: number; readonly seal: Uint8Array | null } | undefined): void {
    if (row?.seal != null) this.#last.set(runId, { seq: row.lastSeq, seal: row.seal });
  }

  /** Drops what is remembered of a run. */
  forget(runId: RunId): void {
    this.#last.delete(runId);
  }

  /** Returns a function that checks consecutive rows of a run; the first one follows sequence number `after`. */
  async checker(query: Sql, runId: RunId, after: number): Promise<(row: SummedRow, stored: Row) => void> {
    const { key } = this.#parts;
    if (key === undefined) return () => undefined;
    let before = after === 0 ? undefined : await this.#read(query, runId, after);
    return (row, stored) => {
      const { seal } = stored;
      if (!(seal instanceof Uint8Array)) throw this.#fault(row, 'has no seal here: it was written without the key');
      const expected = sealCommit(key, before, row);
      if (seal.length !== expected.length || !timingSafeEqual(seal, expected))
        throw this.#fault(row, 'does not match its seal here: the journal was changed, or sealed with another key');
      before = seal;
    };
  }

  /** Error for an append with a key to a run without seals, or the other way round. */
  mismatch(runId: RunId): CadreError {
    const { location } = this.#parts;
    const why = this.isKeyed
      ? 'has no seals: it was begun without the key, so nothing was appended to it with a key'
      : 'is sealed with a key, so nothing was appended to it without the key; pass the key (integrity: { key }, CADRE_JOURNAL_KEY)';
    return new CadreError('STORE_FAILED', `${location}: run ${runId} ${why}`, { details: { location, runId } });
  }

  async #read(query: Sql, runId: RunId, lastSeq: number): Promise<Uint8Array | undefined> {
    const [row] = await query(`SELECT seal FROM "${this.#parts.schema}".commits WHERE run_id = $1 AND last_seq = $2`, [
      runId,
      lastSeq,
    ]);
    return row?.['seal'] instanceof Uint8Array ? row['seal'] : undefined;
  }

  #fault({ runId, firstSeq }: SummedRow, why: string): CadreError {
    const { location } = this.#parts;
    return new CadreError(
      'STORE_CORRUPT',
      `${location}: run ${runId}, from seq ${firstSeq} on, ${why}. Nothing was changed in it`,
      {
        details: { location, runId, seq: firstSeq },
      },
    );
  }
}
