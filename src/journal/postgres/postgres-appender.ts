import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Commit, ContentEntry, Lease } from '../../core/events/journal.ts';
import { encodeCommit } from '../codec/event-codec.ts';
import { isTextOf } from '../codec/text-address.ts';
import { appliedBefore, staleLease, staleSequence } from '../commit-check.ts';
import { createdAtOf, summaryChange } from '../run-summary.ts';
import { appendStatement } from './append-statement.ts';
import type { Connections, Row } from './connections.ts';
import { isConnectionFailure } from './postgres-failure.ts';
import { rowSum } from './postgres-schema.ts';
import type { RowSeals } from './row-seals.ts';
import { joinRefs, refsOf } from '../codec/text-refs.ts';
import { contentSum, storedText } from './stored-text.ts';

/** Most events in one row; reading any of them reads the whole row. */
const largestRow = 1_000;
/** Sequence numbers are 32-bit integers there. */
const maxSeq = 2 ** 31 - 1;

/** Services and settings of an appender. */
interface AppenderParts {
  readonly connections: () => Promise<Connections>;
  readonly schema: string;
  readonly location: string;
  /** Every commit waits until the server has it on disk. */
  readonly alwaysSync: boolean;
  readonly seals: RowSeals;
}

/** One row of `commits` before it is written. */
interface NewRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly sum: number;
  readonly refs: string | null;
  readonly seal: Uint8Array | null;
  readonly body: string;
}

/**
 * Writes commits, each in one statement, which also checks the lease and the expected sequence number.
 *
 * 1. A commit whose answer was lost with the connection is remembered: tried again, it fails on its sequence number, and then counts as
 *    written when its row is there, under the same lease.
 */
export class PostgresAppender {
  readonly #parts: AppenderParts;
  readonly #statement: string;
  /** Sequence numbers from which a commit may have been written without an answer. */
  readonly #uncertain = new Map<RunId, number>();

  constructor(parts: AppenderParts) {
    this.#parts = parts;
    this.#statement = appendStatement(parts.schema);
  }

  /**
   * Appends a whole commit or nothing, and returns the hashes of the texts it refers to. Throws STORE_CONFLICT when the lease or the
   * sequence number is stale.
   */
  async append(lease: Lease, commit: Commit): Promise<readonly string[]> {
    const { seals } = this.#parts;
    const connections = await this.#parts.connections();
    const rows = this.#rowsOf(commit, await seals.before(connections.query, commit));
    const values = this.#valuesOf(lease, commit, rows);
    let answer: Row | undefined;
    try {
      [answer] = await connections.query(this.#statement, values, 'cadre-append');
    } catch (thrown) {
      if (isRepeated(thrown)) throw appliedBefore(this.#parts.location, commit, commit.inputs?.join(', ') ?? '');
      if (isConnectionFailure(thrown)) this.#uncertain.set(commit.runId, commit.expectedSeq);
      throw thrown;
    }
    if (Number(answer?.['moved']) !== 1) await this.#explain(lease, commit, rows);
    this.#uncertain.delete(commit.runId);
    seals.note(commit.runId, rows.at(-1));
    return rows.flatMap(({ refs }) => refs?.split(' ') ?? []);
  }

  /** Counts a commit as written when it is appended again: what followed it failed. */
  expectAgain({ runId, expectedSeq }: Commit): void {
    this.#uncertain.set(runId, expectedSeq);
  }

  /** Drops what is remembered of a run that was released. */
  forget(runId: RunId): void {
    this.#uncertain.delete(runId);
    this.#parts.seals.forget(runId);
  }

  #rowsOf(commit: Commit, sealBefore: Uint8Array | undefined): readonly NewRow[] {
    const { runId, expectedSeq, events, contents } = commit;
    if (expectedSeq + events.length > maxSeq)
      throw new CadreError(
        'STORE_FAILED',
        `${this.#parts.location}: run ${runId} has ${maxSeq} events, the most a run can; start a new run`,
      );
    const rows: NewRow[] = [];
    let before = sealBefore;
    for (let at = 0; at < events.length; at += largestRow) {
      const texts = at === 0 ? contents : [];
      const row = this.#rowOf(runId, expectedSeq + at, { events: events.slice(at, at + largestRow), texts, before });
      before = row.seal ?? undefined;
      rows.push(row);
    }
    return rows;
  }

  #rowOf(
    runId: RunId,
    after: number,
    {
      events,
      texts,
      before,
    }: {
      readonly events: readonly CadreEvent[];
      readonly texts: readonly ContentEntry[];
      readonly before: Uint8Array | undefined;
    },
  ): NewRow {
    const body = encodeCommit(events);
    const place = { runId, firstSeq: after + 1, lastSeq: after + events.length, at: events.at(-1)?.at ?? 0, body };
    const refs = joinRefs(refsOf(body, texts));
    return { ...place, sum: rowSum(place), refs, seal: this.#parts.seals.sealOf(before, place) ?? null };
  }

  #valuesOf(lease: Lease, commit: Commit, rows: readonly NewRow[]): readonly unknown[] {
    const change = summaryChange(commit.events);
    const last = commit.events.at(-1);
    // In one order for everyone: two commits that store the same texts would otherwise wait for each other.
    const texts = commit.contents
      .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
      .map(({ hash, text }) => ({ hash, ...storedText(text) }));
    return [
      commit.runId,
      lease.epoch,
      lease.owner,
      commit.expectedSeq,
      last?.seq,
      last?.at,
      createdAtOf(commit.events),
      change.agents,
      change.turns,
      change.inputTokens,
      change.outputTokens,
      change.cost,
      change.unpriced,
      plain(change.title),
      plain(change.profile),
      change.status ?? null,
      plain(change.outcome),
      change.pending ?? null,
      change.isImported ?? null,
      this.#parts.seals.isKeyed,
      rows.map((row) => row.firstSeq),
      rows.map((row) => row.lastSeq),
      rows.map((row) => row.at),
      rows.map((row) => row.sum),
      rows.map((row) => row.refs),
      rows.map((row) => (row.seal === null ? null : Buffer.from(row.seal))),
      rows.map((row) => row.body),
      texts.map((text) => text.hash),
      texts.map((text) => contentSum(text)),
      texts.map((text) => text.text),
      texts.map((text) => text.raw),
      !commit.sync && !this.#parts.alwaysSync,
      commit.contents.filter(({ hash, text }) => isTextOf(hash, text)).map(({ hash }) => hash),
      commit.inputs ?? [],
    ];
  }

  /** Throws the reason why a commit was not written; returns when it was written by an earlier try. */
  async #explain(lease: Lease, commit: Commit, rows: readonly NewRow[]): Promise<void> {
    const { schema, location, seals } = this.#parts;
    const last = rows.at(-1);
    const connections = await this.#parts.connections();
    const [found] = await connections.query(
      `SELECT runs.epoch, runs.owner, runs.last_seq, runs.sealed, written.sum FROM (SELECT 1) AS one
       LEFT JOIN "${schema}".runs ON runs.run_id = $1
       LEFT JOIN "${schema}".commits AS written ON written.run_id = $1 AND written.last_seq = $2 AND written.epoch = $3`,
      [commit.runId, last?.lastSeq, lease.epoch],
    );
    if (this.#uncertain.get(commit.runId) === commit.expectedSeq && found?.['sum'] === last?.sum) return;
    const epoch = Number(found?.['epoch'] ?? 0);
    const owner = typeof found?.['owner'] === 'string' ? found['owner'] : null;
    if (epoch !== lease.epoch || owner !== lease.owner) throw staleLease(location, lease, { epoch, owner });
    const lastSeq = Number(found?.['last_seq'] ?? 0);
    if (lastSeq !== commit.expectedSeq) throw staleSequence(location, commit, lastSeq);
    throw seals.mismatch(commit.runId);
  }
}

/** True for the violation of the key of `once`. */
function isRepeated(thrown: unknown): boolean {
  return thrown instanceof Error && 'constraint' in thrown && thrown.constraint === 'once_pkey';
}

/** Text columns hold no NUL. */
function plain(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}
