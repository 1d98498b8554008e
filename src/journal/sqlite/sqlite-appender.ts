import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { Commit, ContentEntry, Lease } from '../../core/events/journal.ts';
import type { CommitChain, SealedRow } from '../commit-chain.ts';
import { staleLease, staleSequence } from '../commit-check.ts';
import { encodeCommit } from '../codec/event-codec.ts';
import { changesStatus, createdAtOf, importedMark, summaryChange, type SummaryChange } from '../run-summary.ts';
import { commitSum, contentSum, keySpan, maxRuns } from './sqlite-schema.ts';
import type { LeasedCommit, Refusal } from './commit-group.ts';
import { inTransaction } from './sqlite-transaction.ts';
import { isTextOf } from '../codec/text-address.ts';
import type { RunSignatures } from './run-signatures.ts';
import type { WalSync } from './wal-sync.ts';

/** Most events in one row; reading any of them reads the whole row. */
const largestRow = 1_000;

/** Dependencies and settings of an appender. */
interface AppenderParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly sync: WalSync;
  /** Every commit survives a power cut. */
  readonly alwaysFull: boolean;
  readonly chain: CommitChain;
  readonly signatures: RunSignatures | undefined;
}

/** One row to write: a commit or part of one, under its lease, with the change to the run's summary. */
interface Append {
  readonly lease: Lease;
  readonly commit: Commit;
  readonly change: SummaryChange;
}

/**
 * Writes commits. A commit that adds no text and changes no status is one statement, which also checks the lease and the sequence.
 */
export class SqliteAppender {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #alwaysFull: boolean;
  readonly #statements = new Map<string, StatementSync>();
  readonly #runNumbers = new Map<RunId, number>();
  readonly #sync: WalSync;
  #isFull = false;
  readonly #chain: CommitChain;
  readonly #signatures: RunSignatures | undefined;
  /** True when a commit takes more than one statement. */
  readonly #isMarked: boolean;

  constructor(parts: AppenderParts) {
    this.#database = parts.database;
    this.#file = parts.file;
    this.#sync = parts.sync;
    this.#alwaysFull = parts.alwaysFull;
    this.#chain = parts.chain;
    this.#signatures = parts.signatures;
    this.#isMarked = parts.chain.isKeyed || parts.signatures !== undefined;
  }

  /** Appends a whole commit or nothing. Throws STORE_CONFLICT when the lease or the sequence number is stale. */
  append(lease: Lease, commit: Commit): void {
    const change = summaryChange(commit.events);
    // A transaction of several commits has set the level for all of them.
    if (!this.#database.isTransaction) this.#setSync(commit.sync || this.#alwaysFull);
    const run = this.#runNumber(commit.runId);
    const append = { lease, commit, change };
    if (commit.events.length > largestRow) this.#appendInParts(append);
    else if (run !== undefined && commit.contents.length === 0 && !changesStatus(change) && !this.#isMarked)
      this.#insertNext(append, run, encodeCommit(commit.events));
    else inTransaction(this.#database, () => this.#insertWithAll(append));
  }

  /** Seals and signs a row that was written in this transaction. */
  #mark(row: SealedRow): void {
    this.#chain.seal(row);
    this.#signatures?.sign(row);
  }

  /**
   * Appends the commits of several runs in one transaction, each whole or not at all; the reason for each that is refused. Throws when the
   * transaction fails: nothing is written then.
   */
  appendAll(commits: readonly LeasedCommit[]): readonly Refusal[] {
    this.#setSync(this.#alwaysFull || commits.some(({ commit }) => commit.sync));
    try {
      return inTransaction(this.#database, () => commits.map((leased) => this.#appendPart(leased)));
    } catch (thrown) {
      // After a rollback, the number of a run's first row may go to another run.
      for (const { commit } of commits) this.#runNumbers.delete(commit.runId);
      throw thrown;
    }
  }

  #appendPart({ lease, commit }: LeasedCommit): Refusal {
    try {
      this.append(lease, commit);
      return undefined;
    } catch (error) {
      // SQLite gives up the whole transaction on a full disk.
      if (!this.#database.isTransaction || !isRefusal(error)) throw error;
      return { error };
    }
  }

  /** Appends a long commit (an imported run, a fork) as several rows of one transaction, so that it can be read in parts. */
  #appendInParts({ lease, commit, change: { isImported } }: Append): void {
    const known = this.#runNumber(commit.runId);
    try {
      inTransaction(this.#database, () => {
        for (let at = 0; at < commit.events.length; at += largestRow) {
          const events = commit.events.slice(at, at + largestRow);
          const part = { ...commit, expectedSeq: commit.expectedSeq + at, events, contents: at === 0 ? commit.contents : [] };
          const change = { ...summaryChange(events), ...(isImported === true ? { isImported } : {}) };
          this.#insertWithAll({ lease, commit: part, change });
        }
      });
    } catch (thrown) {
      // After a rollback, the number of the run's first row may go to another run.
      if (known === undefined) this.#runNumbers.delete(commit.runId);
      throw thrown;
    }
  }

  #insertWithAll(append: Append): void {
    const { commit, change } = append;
    const body = encodeCommit(commit.events);
    const run = this.#runNumber(commit.runId);
    if (run === undefined) this.#insertFirst(append, body);
    else {
      this.#insertNext(append, run, body);
      if (changesStatus(change)) this.#updateRun(run, change);
    }
    for (const entry of commit.contents) this.#insertContent(entry);
  }

  #insertNext({ lease, commit, change }: Append, run: number, body: string): void {
    const { last, key } = this.#placeOf(run, commit);
    this.#chain.assertMayAppend(commit.runId, key);
    const inserted = this.#prepare(
      `INSERT INTO commits (key, last_seq, at, agents, turns, input_tokens, output_tokens, cost, unpriced, sum, body)
       SELECT ?, ?, ?, before.agents + ?, before.turns + ?, before.input_tokens + ?, before.output_tokens + ?, before.cost + ?,
         before.unpriced + ?, ?, ?
       FROM leases JOIN commits AS before ON before.key = (SELECT max(key) FROM commits WHERE key < ?)
       WHERE leases.run_id = ? AND leases.epoch = ? AND leases.owner = ? AND before.last_seq = ?`,
    ).run(
      key,
      last.seq,
      last.at,
      change.agents,
      change.turns,
      change.inputTokens,
      change.outputTokens,
      change.cost,
      change.unpriced,
      commitSum({ key, lastSeq: last.seq, at: last.at, body }),
      body,
      (run + 1) * keySpan,
      lease.runId,
      lease.epoch,
      lease.owner,
      commit.expectedSeq,
    );
    if (inserted.changes !== 1) throw this.#staleError(run, lease, commit);
    this.#mark({ runId: commit.runId, key, lastSeq: last.seq, at: last.at, body });
  }

  /** The number of a run is never that of an erased one, which others may remember. */
  #insertFirst({ lease, commit, change }: Append, body: string): void {
    this.#assertLease(lease);
    if (commit.expectedSeq !== 0) throw staleSequence(this.#file, commit, 0);
    const begun = this.#prepare(
      `INSERT INTO runs (run, run_id, title, profile, status, outcome, created_at, pending) VALUES (
         max(coalesce((SELECT max(run) FROM runs), 0), coalesce((SELECT value FROM meta WHERE key = 'last_run'), 0)) + 1,
         ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      commit.runId,
      change.title ?? '',
      change.profile ?? '',
      storedStatus(change) ?? 'running',
      change.outcome ?? null,
      createdAtOf(commit.events) ?? 0,
      change.pending ?? 0,
    );
    const run = Number(begun.lastInsertRowid);
    if (run > maxRuns)
      throw new CadreError('STORE_FAILED', `${this.#file}: the journal holds ${maxRuns} runs, the most it can; use a new file`);
    const { last, key } = this.#placeOf(run, commit);
    this.#chain.assertMayAppend(commit.runId, key);
    this.#prepare(
      `INSERT INTO commits (key, last_seq, at, agents, turns, input_tokens, output_tokens, cost, unpriced, sum, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      key,
      last.seq,
      last.at,
      change.agents,
      change.turns,
      change.inputTokens,
      change.outputTokens,
      change.cost,
      change.unpriced,
      commitSum({ key, lastSeq: last.seq, at: last.at, body }),
      body,
    );
    this.#mark({ runId: commit.runId, key, lastSeq: last.seq, at: last.at, body });
  }

  #updateRun(run: number, change: SummaryChange): void {
    this.#prepare(
      `UPDATE runs SET title = coalesce(?, title), profile = coalesce(?, profile), status = coalesce(?, status), outcome = coalesce(?, outcome),
         pending = coalesce(?, pending)
       WHERE run = ?`,
    ).run(
      change.title ?? null,
      change.profile ?? null,
      storedStatus(change) ?? null,
      change.outcome ?? null,
      change.pending ?? null,
      run,
    );
  }

  /** Stores a text once. Replaces a damaged copy with the correct text. */
  #insertContent({ hash, text }: ContentEntry): void {
    // SQLite keeps text as UTF-8, which cannot hold lone surrogates, and its length functions stop at NUL.
    const plain = text.isWellFormed() && !text.includes('\0');
    const stored = plain ? text : Buffer.from(text, 'utf16le');
    const sum = contentSum(stored);
    const inserted = this.#prepare('INSERT INTO contents (hash, sum, text) VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING');
    if (inserted.run(hash, sum, stored).changes > 0) return;
    const other = this.#prepare('SELECT 1 FROM contents WHERE hash = ? AND (sum <> ? OR text <> ?)').get(hash, sum, stored);
    if (other !== undefined && isTextOf(hash, text))
      this.#prepare('UPDATE contents SET sum = ?, text = ? WHERE hash = ?').run(sum, stored, hash);
  }

  #placeOf(run: number, commit: Commit): { readonly last: { readonly seq: number; readonly at: number }; readonly key: number } {
    const last = commit.events.at(-1);
    if (last === undefined || last.seq >= keySpan) {
      throw new CadreError(
        'STORE_FAILED',
        `${this.#file}: run ${commit.runId} has ${keySpan - 1} events, the most a run can; start a new run`,
      );
    }
    return { last, key: run * keySpan + commit.expectedSeq + 1 };
  }

  /** Returns a run's number. Cached once known, since it never changes after the commit. */
  #runNumber(runId: RunId): number | undefined {
    const known = this.#runNumbers.get(runId);
    if (known !== undefined) return known;
    const run = this.#prepare('SELECT run FROM runs WHERE run_id = ?').get(runId)?.['run'];
    if (typeof run !== 'number') return undefined;
    this.#runNumbers.set(runId, run);
    return run;
  }

  /** Returns the error for a rejected append: the lease or the sequence number is stale. */
  #staleError(run: number, lease: Lease, commit: Commit): CadreError {
    this.#assertLease(lease);
    const last = this.#prepare('SELECT last_seq FROM commits WHERE key < ? ORDER BY key DESC LIMIT 1').get((run + 1) * keySpan);
    return staleSequence(this.#file, commit, Number(last?.['last_seq'] ?? 0));
  }

  #assertLease(lease: Lease): void {
    const row = this.#prepare('SELECT epoch, owner FROM leases WHERE run_id = ?').get(lease.runId);
    const epoch = Number(row?.['epoch'] ?? 0);
    const owner = typeof row?.['owner'] === 'string' ? row['owner'] : null;
    if (epoch !== lease.epoch || owner !== lease.owner) throw staleLease(this.#file, lease, { epoch, owner });
  }

  /** Sets SQLite's sync level. Costs about a microsecond, and only when the level changes. */
  #setSync(full: boolean): void {
    if (full === this.#isFull) return;
    if (full) this.#sync.syncNames();
    this.#prepare(full ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL').run();
    this.#isFull = full;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** True for an error about one commit, not about the file. */
function isRefusal(error: unknown): boolean {
  return error instanceof CadreError;
}

function storedStatus({ status, isImported }: SummaryChange): string | undefined {
  return status !== undefined && isImported === true ? `${importedMark}${status}` : status;
}
