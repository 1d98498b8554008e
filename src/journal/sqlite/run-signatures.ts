import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunId } from '../../core/ids.ts';
import { type SealedRow, sealCommit } from '../commit-chain.ts';
import { keySpan } from './sqlite-schema.ts';
import { inTransaction } from './sqlite-transaction.ts';

/** Settings of the signatures that tell which runs a key's holders wrote. */
export interface SignatureOptions {
  /** Key of the writer, for this file only: a signature of another file must not count here. */
  readonly key: Uint8Array;
}

const layout =
  'CREATE TABLE IF NOT EXISTS signatures (run_id TEXT PRIMARY KEY, last_seq INTEGER NOT NULL, mac BLOB NOT NULL) WITHOUT ROWID';

/** Why a run is signed: it was written with the key from its first event, or signed later, for a person who agreed to it. */
type Origin = 'own' | 'adopted';

/** Last link of the chain over a run's commits; each origin has another key. */
interface Signature {
  readonly lastSeq: number;
  readonly mac: Uint8Array;
  readonly origin: Origin;
}

/** Byte that follows the link of an adopted run. */
const adoptedMark = Uint8Array.of(1);
const macBytes = 32;

/**
 * Signatures of runs: which of them were written with the key alone, from their first event to their last, and which were adopted.
 *
 * Owns: the table `signatures`, one row per run, made with the first one. Does not own: what follows for a run without one, which is read
 * and written like any other. Seals (`CommitChain`) are stricter: with them, a changed run cannot even be read.
 * 1. A signature is the last link of a chain over all commits of its run, and is written in the transaction of each commit.
 * 2. A run whose commits were changed, or that was continued without the key, has no valid signature, and gets none by further commits.
 * 3. Does not detect a run put back as it was at an earlier time, together with its signature, nor changes outside `commits`: texts are
 *    checked by their hash, snapshots by a seal of their own; titles, projects and sums for lists decide nothing.
 */
export class RunSignatures {
  readonly #database: DatabaseSync;
  readonly #keys: Readonly<Record<Origin, Uint8Array>>;
  readonly #statements = new Map<string, StatementSync>();
  /** Last link of runs that were verified in this process. */
  readonly #verified = new Map<RunId, Uint8Array>();

  constructor(database: DatabaseSync, { key }: SignatureOptions) {
    this.#database = database;
    this.#keys = { own: key, adopted: createHmac('sha256', key).update('cadre adopted 1').digest() };
  }

  /** Signs a row that was written in the same transaction, if the run is signed up to there. */
  sign(row: SealedRow): void {
    const firstSeq = row.key % keySpan;
    if (firstSeq === 1) this.#database.exec(layout);
    const before = firstSeq === 1 ? undefined : this.#find(row.runId);
    if (firstSeq > 1 && before?.lastSeq !== firstSeq - 1) return;
    const origin = before?.origin ?? 'own';
    const mac = this.#link(origin, before?.mac, row);
    this.#keep(row.runId, { lastSeq: row.lastSeq, mac, origin });
    const verified = this.#verified.get(row.runId);
    if (firstSeq === 1 || (verified !== undefined && before !== undefined && isEqual(verified, before.mac)))
      this.#verified.set(row.runId, mac);
  }

  /**
   * Tells whether only holders of the key wrote a run (`own`), or since a person agreed to it (`adopted`); undefined for a run that others
   * wrote or changed. Reads all of its commits, the first time.
   */
  originOf(runId: RunId): Origin | undefined {
    const signature = this.#find(runId);
    if (signature === undefined) return undefined;
    const { mac, origin } = signature;
    const verified = this.#verified.get(runId);
    if (verified !== undefined && isEqual(verified, mac)) return origin;
    const end = this.#endOf(runId, origin);
    if (end?.lastSeq !== signature.lastSeq || end.mac === undefined || !isEqual(end.mac, mac)) return undefined;
    this.#verified.set(runId, end.mac);
    return origin;
  }

  /** Signs a run of others as it is now, for a person who agreed to it. */
  adopt(runId: RunId): void {
    this.#database.exec(layout);
    inTransaction(this.#database, () => {
      const { lastSeq, mac } = this.#endOf(runId, 'adopted') ?? {};
      if (lastSeq === undefined || mac === undefined) return;
      this.#keep(runId, { lastSeq, mac, origin: 'adopted' });
      this.#verified.set(runId, mac);
    });
  }

  /** Drops the signature of an erased run. */
  drop(runId: RunId): void {
    this.#verified.delete(runId);
    if (this.#exists) this.#prepare('DELETE FROM signatures WHERE run_id = ?').run(runId);
  }

  /** Computes the chain over the commits of a run. */
  #endOf(runId: RunId, origin: Origin): { readonly lastSeq: number; readonly mac: Uint8Array | undefined } | undefined {
    const run = this.#prepare('SELECT run FROM runs WHERE run_id = ?').get(runId)?.['run'];
    if (typeof run !== 'number') return undefined;
    const begin = run * keySpan;
    let mac: Uint8Array | undefined;
    let lastSeq = 0;
    const rows = this.#prepare('SELECT key, last_seq, at, body FROM commits WHERE key > ? AND key < ? ORDER BY key');
    for (const row of rows.iterate(begin, begin + keySpan)) {
      lastSeq = Number(row['last_seq']);
      mac = this.#link(origin, mac, { runId, key: Number(row['key']), lastSeq, at: Number(row['at']), body: String(row['body']) });
    }
    return { lastSeq, mac };
  }

  #link(origin: Origin, before: Uint8Array | undefined, { runId, key, lastSeq, at, body }: SealedRow): Uint8Array {
    return sealCommit(this.#keys[origin], before, { runId, firstSeq: key % keySpan, lastSeq, at, body });
  }

  #find(runId: RunId): Signature | undefined {
    if (!this.#exists) return undefined;
    const row = this.#prepare('SELECT last_seq, mac FROM signatures WHERE run_id = ?').get(runId);
    const kept = row?.['mac'];
    if (!(kept instanceof Uint8Array)) return undefined;
    const mac = kept.subarray(0, macBytes);
    return { lastSeq: Number(row?.['last_seq']), mac, origin: kept.length > macBytes ? 'adopted' : 'own' };
  }

  #keep(runId: RunId, { lastSeq, mac, origin }: Signature): void {
    const kept = origin === 'own' ? mac : Buffer.concat([mac, adoptedMark]);
    this.#prepare('INSERT OR REPLACE INTO signatures (run_id, last_seq, mac) VALUES (?, ?, ?)').run(runId, lastSeq, kept);
  }

  get #exists(): boolean {
    return this.#prepare("SELECT 1 FROM sqlite_schema WHERE name = 'signatures'").get() !== undefined;
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
