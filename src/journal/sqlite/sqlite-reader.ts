import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { shownCost } from '../../core/state/budget.ts';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type { RunsFilter, RunSummary } from '../../core/events/journal.ts';
import type { CommitChain } from '../commit-chain.ts';
import { decodeCommit } from '../codec/event-codec.ts';
import { noOwners, seemsGone, toHolder } from '../leases/holder.ts';
import type { ProcessWatch } from '../leases/process-watch.ts';
import { corruptJournal, newerEvents } from './sqlite-failure.ts';
import { listStatement, type ListTables } from './list-statement.ts';
import { importedMark, isOpenStatus, listedStatus } from '../run-summary.ts';
import { commitSum, contentSum, keySpan } from './sqlite-schema.ts';
import { isTextOf } from '../codec/text-address.ts';
import type { StoredCommit } from '../codec/turn-events.ts';

type Row = Readonly<Record<string, unknown>>;

/** Dependencies of a reader. */
interface ReaderParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly watch: ProcessWatch;
  readonly chain: CommitChain;
}

/** Reads a journal file without trusting it: checks every row against its checksum and its neighbours. */
export class SqliteReader {
  readonly #file: string;
  readonly #watch: ProcessWatch;
  readonly #findRun: StatementSync;
  readonly #commits: StatementSync;
  readonly #lastSeq: StatementSync;
  readonly #content: StatementSync;
  readonly #database: DatabaseSync;
  readonly #listed: ListTables;
  /** Statements that list runs, by their text. */
  readonly #lists = new Map<string, StatementSync>();

  readonly #chain: CommitChain;

  constructor({ database, file, watch, chain }: ReaderParts) {
    this.#database = database;
    this.#file = file;
    this.#chain = chain;
    this.#watch = watch;
    this.#findRun = database.prepare('SELECT run FROM runs WHERE run_id = ?');
    // Begins with the commit that holds the first requested event.
    this.#commits = database.prepare(
      `SELECT key, last_seq, at, sum, body FROM commits
       WHERE key >= coalesce((SELECT max(key) FROM commits WHERE key > :begin AND key <= :first), :begin) AND key < :end ORDER BY key`,
    );
    this.#lastSeq = database.prepare('SELECT last_seq FROM commits WHERE key > :begin AND key < :end ORDER BY key DESC LIMIT 1');
    this.#content = database.prepare('SELECT sum, text FROM contents WHERE hash = ?');
    // An older file opened read-only lacks some tables.
    const has = (table: string): boolean => database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
    const marks = has('marks') ? 'marks' : '(SELECT NULL AS run_id, NULL AS title, NULL AS project, NULL AS deleted_at)';
    const owners = has('owners') ? 'owners' : noOwners;
    this.#listed = { marks, owners };
  }

  /** Returns at most `limit` events of a run after sequence number `after`; undefined when there is no such run. */
  events(runId: RunId, after: number, limit: number): CadreEvent[] | undefined {
    const run = this.#numberOf(runId);
    if (run === undefined) return undefined;
    const events: CadreEvent[] = [];
    if (limit === 0) return events;
    for (const { firstSeq, row } of this.#rows(runId, run, after)) {
      for (const event of this.#decode(runId, firstSeq, row)) {
        if (event.seq <= after) continue;
        events.push(event);
        if (events.length >= limit) return events;
      }
    }
    return events;
  }

  /** Returns all commits of a run, checked like events but decoded on demand; undefined when there is no such run. */
  commits(runId: RunId): readonly StoredCommit[] | undefined {
    const run = this.#numberOf(runId);
    if (run === undefined) return undefined;
    const commits: StoredCommit[] = [];
    for (const { firstSeq, row } of this.#rows(runId, run, 0)) {
      const body = this.#checkSum(runId, firstSeq, row);
      commits.push({ firstSeq, body, events: () => this.#decode(runId, firstSeq, row) });
    }
    return commits;
  }

  #numberOf(runId: RunId): number | undefined {
    const run = this.#findRun.get(runId)?.['run'];
    return typeof run === 'number' ? run : undefined;
  }

  /** Yields the rows of a run with events after `after`; checks for gaps and seals. */
  *#rows(runId: RunId, run: number, after: number): Generator<{ readonly firstSeq: number; readonly row: Row }> {
    const begin = run * keySpan;
    const first = begin + Math.min(after + 1, keySpan - 1);
    let lastSeq: number | undefined = after === 0 ? 0 : undefined;
    // Looked up from the other end, before the scan: a damaged key must not end a run early, and other processes may append
    // meanwhile.
    const end = Number(this.#lastSeq.get({ begin, end: begin + keySpan })?.['last_seq'] ?? 0);
    const sealed = this.#chain.lastSealed(begin);
    const check = this.#chain.checker();
    let lastKey = begin;
    for (const row of this.#commits.iterate({ begin, first, end: begin + keySpan })) {
      lastKey = Number(row['key']);
      const firstSeq = lastKey - begin;
      if (lastSeq !== undefined && firstSeq !== lastSeq + 1) throw this.#gap(runId, lastSeq, firstSeq);
      lastSeq = Number(row['last_seq']);
      if (lastSeq <= after) continue;
      check({ runId, key: lastKey, lastSeq, at: Number(row['at']), body: String(row['body']) });
      yield { firstSeq, row };
    }
    // A run exists only with a first commit.
    if (lastSeq === undefined || lastSeq === 0) throw this.#gap(runId, 0, undefined);
    if (lastSeq < end) throw this.#gap(runId, lastSeq, undefined);
    this.#chain.assertWhole(runId, lastKey, sealed);
  }

  /** Returns a text by its hash; undefined when it was never stored. */
  content(hash: ContentHash): string | undefined {
    const row = this.#content.get(hash);
    if (row === undefined) return undefined;
    const text = row['text'];
    const where = `table contents, row ${hash}`;
    if ((typeof text !== 'string' && !(text instanceof Uint8Array)) || contentSum(text) !== row['sum']) {
      throw corruptJournal(this.#file, 'the text is not the one that was stored (its checksum differs)', { where });
    }
    const read = typeof text === 'string' ? text : Buffer.from(text).toString('utf16le');
    if (!isTextOf(hash, read)) throw corruptJournal(this.#file, 'the text does not match this hash', { where });
    return read;
  }

  /** Returns the runs that match a filter, the newest first. */
  runs(filter: RunsFilter): readonly RunSummary[] {
    const { runId, project, limit } = filter;
    const text = listStatement(filter, this.#listed);
    const statement = this.#lists.get(text) ?? this.#database.prepare(text);
    this.#lists.set(text, statement);
    const gone = new Map<string, boolean>();
    const asked = [runId, project, limit === Infinity ? undefined : limit].filter((value) => value !== undefined);
    return statement.all(...asked).map((row) => this.#toSummary(row, gone));
  }

  /** Returns a row's text after verifying its checksum. */
  #checkSum(runId: RunId, firstSeq: number, row: Row): string {
    const { body, sum, at, last_seq: lastSeq } = row;
    if (typeof body === 'string' && commitSum({ key: Number(row['key']), lastSeq: Number(lastSeq), at: Number(at), body }) === sum)
      return body;
    const where = placeOf(runId, firstSeq, row);
    throw corruptJournal(this.#file, 'the events are not the ones that were stored (their checksum differs)', { where });
  }

  #decode(runId: RunId, firstSeq: number, row: Row): readonly CadreEvent[] {
    const { at, last_seq: lastSeq } = row;
    const where = placeOf(runId, firstSeq, row);
    const body = this.#checkSum(runId, firstSeq, row);
    let events: readonly CadreEvent[];
    try {
      events = decodeCommit(body, { runId, firstSeq, at: Number(at) });
    } catch (error) {
      if (error instanceof CadreError && error.code === 'STORE_NEWER') throw newerEvents(this.#file, where, error);
      throw corruptJournal(this.#file, 'the events cannot be read', { where, cause: error });
    }
    if (firstSeq + events.length - 1 !== lastSeq) {
      throw corruptJournal(this.#file, `the row ends at seq ${String(lastSeq)} but holds ${events.length} events`, { where });
    }
    return events;
  }

  #gap(runId: RunId, lastSeq: number, firstSeq: number | undefined): Error {
    const next = firstSeq === undefined ? 'there is no row' : `the next row begins at ${firstSeq}`;
    return corruptJournal(this.#file, `after seq ${lastSeq} ${next}; events are missing`, { where: `table commits, run ${runId}` });
  }

  #toSummary(row: Row, gone: Map<string, boolean>): RunSummary {
    const { run_id: runId, outcome } = row;
    // One damaged run must not hide the others; reading it reports the damage.
    const isDamaged = row['last_seq'] === null;
    const pending = typeof row['pending'] === 'number' ? row['pending'] : undefined;
    return {
      runId: String(runId) as RunId,
      title: String(row['own_title'] ?? row['title']),
      profile: String(row['profile']),
      status: isDamaged ? 'damaged' : listedStatus(String(row['status']).replace(importedMark, ''), pending),
      ...(isDamaged || pending === undefined ? {} : { pending }),
      ...(typeof outcome === 'string' ? { outcome } : {}),
      createdAt: Number(row['created_at']),
      updatedAt: Number(row['at'] ?? row['created_at']),
      lastSeq: Number(row['last_seq']),
      agents: Number(row['agents']),
      turns: Number(row['turns']),
      inputTokens: Number(row['input_tokens']),
      outputTokens: Number(row['output_tokens']),
      ...(String(row['status']).startsWith(importedMark) ? { isImported: true as const } : {}),
      ...(typeof row['project'] === 'string' ? { project: row['project'] } : {}),
      ...(typeof row['deleted_at'] === 'number' ? { deletedAt: row['deleted_at'] } : {}),
      ...shownCost({ cost: Number(row['cost']), costUnknown: Number(row['unpriced']) > 0 }),
      ...(!isDamaged && isOpenStatus(String(row['status'])) && this.#isLeft(row, gone) ? { isAbandoned: true as const } : {}),
    };
  }

  /** True when the run is free or its holder seems gone. `gone` caches each holder's state within a list. */
  #isLeft(row: Row, gone: Map<string, boolean>): boolean {
    const holder = toHolder(row, this.#watch.self);
    if (holder === undefined) return true;
    const known = gone.get(holder.owner) ?? seemsGone(holder, this.#watch);
    gone.set(holder.owner, known);
    return known;
  }
}

function placeOf(runId: RunId, firstSeq: number, row: Row): string {
  return `table commits, row ${String(row['key'])} (run ${runId} from seq ${firstSeq})`;
}
