import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type {
  Commit,
  Journal,
  Lease,
  RunMarks,
  RunsFilter,
  RunSummary,
  SharedJournal,
  Snapshot,
  TurnEvents,
} from '../../core/events/journal.ts';
import { turnEvents } from '../codec/turn-events.ts';
import { integrityKey } from '../commit-chain.ts';
import { assertCommit, assertId, assertLeaseRequest, assertRange, closedJournal, unknownRun } from '../commit-check.ts';
import { checkLeaseTimes } from '../leases/holder.ts';
import { sharedPrefix } from '../leases/lease-owner.ts';
import { LockSession } from './lock-session.ts';
import { PostgresAppender } from './postgres-appender.ts';
import { PostgresEraser } from './postgres-eraser.ts';
import { toPostgresError } from './postgres-failure.ts';
import { PostgresLeases } from './postgres-leases.ts';
import { PostgresLive } from './postgres-live.ts';
import { checkNumbers, type PostgresJournalOptions } from './postgres-options.ts';
import { PostgresReader } from './postgres-reader.ts';
import { PostgresRuns } from './postgres-runs.ts';
import { PostgresShared } from './postgres-shared.ts';
import { PostgresSnapshots } from './postgres-snapshots.ts';
import { lockClass as lockClassOf } from './postgres-schema.ts';
import { parsePostgresUrl, type PostgresPlace } from './postgres-url.ts';
import { RowSeals } from './row-seals.ts';
import { RunNews } from './run-news.ts';
import { RunTextMemory } from './run-text-memory.ts';
import { ServerLink } from './server-link.ts';
import { SharedSync } from '../shared-sync.ts';

export type { PostgresJournalOptions } from './postgres-options.ts';

/**
 * Opens a journal on PostgreSQL; connects, and creates or migrates its schema, when it is first used.
 *
 * Owns: a schema of the database, the right to append, the texts of runs in memory. Does not own: the meaning of events.
 * 1. A commit is one statement, which also checks the lease and the expected sequence number, and updates the summary.
 * 2. A commit whose answer was lost is not written twice when it is appended again.
 * 3. Signs of life count by the server's clock; a killed process loses its runs with its connection.
 * Throws OPTION_INVALID at once; later DEPENDENCY_MISSING, STORE_NEWER, STORE_CORRUPT or STORE_FAILED, as the port says.
 */
export function createPostgresJournal(options: PostgresJournalOptions): Journal {
  return new PostgresJournal(parsePostgresUrl(options.url, options.schema), options);
}

class PostgresJournal implements Journal {
  readonly location: string;
  readonly #link: ServerLink;
  readonly #session: LockSession;
  readonly #leases: PostgresLeases;
  readonly #appender: PostgresAppender;
  readonly #reader: PostgresReader;
  readonly #runs: PostgresRuns;
  readonly #eraser: PostgresEraser;
  readonly #snapshots: PostgresSnapshots;
  readonly #texts: RunTextMemory;
  readonly #news: RunNews;
  readonly #sync: SharedSync;
  readonly live: PostgresLive;
  readonly shared: SharedJournal;
  readonly #isReadOnly: boolean;
  #closing: Promise<void> | undefined;

  constructor({ connection, schema, location }: PostgresPlace, options: PostgresJournalOptions) {
    this.location = location;
    const { readOnly = false, durability = 'full', takeOver = false } = options;
    this.#isReadOnly = readOnly;
    const numbers = checkNumbers(options);
    this.#link = new ServerLink({ url: connection, schema, location, readOnly, ...numbers });
    const lockClass = lockClassOf(schema);
    const channel = `cadre_${schema}`;
    const { connections } = this.#link;
    const parts = { connections, schema, location, lockClass, channel };
    this.#session = new LockSession({
      ...parts,
      onNews: (from, text) => (from === channel ? this.#news.receive(text) : this.live.receive(from, text)),
    });
    this.#news = new RunNews({ ...parts, listen: () => this.#session.listen(channel) });
    this.live = new PostgresLive({ ...parts, session: this.#session });
    this.#texts = new RunTextMemory({ ...parts, mostCharacters: numbers.textMemory });
    this.#leases = new PostgresLeases({ ...parts, session: this.#session, takeOver, times: checkLeaseTimes(options.leases) });
    const key = options.integrity === undefined ? undefined : integrityKey(options.integrity);
    const seals = new RowSeals({ ...parts, key });
    this.#snapshots = new PostgresSnapshots({ ...parts, key });
    const alwaysSync = durability === 'full';
    this.#appender = new PostgresAppender({ ...parts, alwaysSync, seals });
    this.#reader = new PostgresReader({ ...parts, seals });
    this.#runs = new PostgresRuns(parts);
    this.shared = new PostgresShared({
      ...parts,
      guard: (doing, work) => this.#guard(doing, () => this.#link.patiently(work)),
      onTaken: async (runId, lastSeq) => {
        this.#texts.hold(runId);
        await this.#texts.load(runId, [], lastSeq);
      },
    });
    this.#eraser = new PostgresEraser(parts);
    this.#sync = new SharedSync(async () => {
      if (!alwaysSync) await this.#leases.beat();
    });
  }

  async acquire(runId: RunId, owner: string): Promise<Lease> {
    assertLeaseRequest(runId, owner);
    this.#assertWritable();
    const claim = this.#leases.newClaim();
    return await this.#guard(`acquiring run ${runId}`, async () => {
      const { lease, lastSeq } = await this.#link.patiently(() => this.#leases.acquire(runId, owner, claim));
      this.#texts.hold(runId);
      await this.#link.patiently(() => this.#texts.load(runId, [], lastSeq));
      return lease;
    });
  }

  async holds(lease: Lease): Promise<boolean> {
    return await this.#guard(`looking at the lease of run ${lease.runId}`, () =>
      this.#link.patiently(() => this.#leases.holds(lease)),
    );
  }

  async release(lease: Lease): Promise<void> {
    if (this.#closing !== undefined) return;
    this.#texts.release(lease.runId);
    this.#appender.forget(lease.runId);
    // Others go on with it.
    if (lease.owner.startsWith(sharedPrefix)) return;
    this.#leases.giveUp(lease);
    // The lease is given up either way; if that cannot be written now, the next heartbeat writes it.
    await this.#leases.clear(lease).catch(() => undefined);
    this.#news.tell(lease.runId);
  }

  async append(lease: Lease, commit: Commit): Promise<void> {
    assertCommit(lease, commit);
    await this.#guard(`appending to run ${commit.runId} after seq ${commit.expectedSeq}`, async () => {
      const refs = await this.#appender.append(lease, commit);
      this.#news.tell(commit.runId);
      try {
        await this.#texts.added(commit, refs);
      } catch (thrown) {
        this.#appender.expectAgain(commit);
        throw thrown;
      }
    });
  }

  async sync(): Promise<void> {
    await this.#guard('syncing the journal', () => this.#link.patiently(() => this.#sync.request()));
  }

  async read(runId: RunId, options: { readonly after?: number; readonly limit?: number } = {}): Promise<readonly CadreEvent[]> {
    const { after = 0, limit = Infinity } = options;
    assertId('run id', runId);
    assertRange(after, limit);
    return await this.#guard(`reading run ${runId}`, () =>
      this.#link.patiently(async () => {
        const found = await this.#reader.events(runId, after, limit);
        if (found === undefined) throw unknownRun(this.location, runId);
        await this.#texts.load(runId, found.rows, after);
        return found.events;
      }),
    );
  }

  async turnEvents(runId: RunId, reference: string): Promise<TurnEvents | undefined> {
    assertId('run id', runId);
    return await this.#guard(`reading a turn of run ${runId}`, () =>
      this.#link.patiently(async () => {
        const found = await this.#reader.commits(runId);
        if (found === undefined) throw unknownRun(this.location, runId);
        await this.#texts.load(runId, found.rows, 0);
        return turnEvents(found.commits, reference);
      }),
    );
  }

  content(hash: ContentHash): string | undefined {
    if (this.#closing !== undefined) throw closedJournal(this.location);
    return this.#texts.text(hash);
  }

  async runs(filter: RunsFilter = {}): Promise<readonly RunSummary[]> {
    return await this.#guard('listing the runs', () => this.#link.patiently(() => this.#runs.list(filter)));
  }

  async mark(runId: RunId, change: RunMarks): Promise<void> {
    assertId('run id', runId);
    this.#assertWritable();
    await this.#guard(`marking run ${runId}`, () => this.#link.patiently(() => this.#runs.mark(runId, change)));
    this.#news.tell(runId);
  }

  async erase(runId: RunId): Promise<void> {
    assertId('run id', runId);
    this.#assertWritable();
    await this.#guard(`erasing run ${runId}`, () => this.#link.patiently(() => this.#eraser.erase(runId)));
    this.#texts.erase(runId);
    this.#news.tell(runId);
  }

  async eraseLooseTexts(): Promise<number> {
    this.#assertWritable();
    return await this.#guard('erasing texts of erased runs', () => this.#eraser.eraseLooseTexts());
  }

  async keepSnapshot(lease: Lease, snapshot: Snapshot | undefined): Promise<void> {
    this.#assertWritable();
    await this.#guard(`keeping a snapshot of run ${lease.runId}`, () => this.#snapshots.keep(lease, snapshot));
  }

  async snapshot(runId: RunId): Promise<Snapshot | undefined> {
    assertId('run id', runId);
    // Only who continues a run needs it, and an older layout has none.
    if (this.#isReadOnly) return undefined;
    return await this.#guard(`reading the snapshot of run ${runId}`, () => this.#link.patiently(() => this.#snapshots.find(runId)));
  }

  async keepSnapshotPart(lease: Lease, name: string, body: string): Promise<void> {
    this.#assertWritable();
    await this.#guard(`keeping a part of run ${lease.runId}`, () => this.#snapshots.keepPart(lease, name, body));
  }

  async snapshotParts(runId: RunId): Promise<ReadonlyMap<string, string>> {
    return await this.#guard(`reading parts of run ${runId}`, () => this.#link.patiently(() => this.#snapshots.parts(runId)));
  }

  watch(runId: RunId | undefined, wake: () => void): () => void {
    if (this.#closing !== undefined) throw closedJournal(this.location);
    return this.#news.watch(runId, wake);
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#link.stopWaiting();
    this.live.close();
    // Without the server, the session ends by itself, and frees the runs.
    await Promise.allSettled([this.#leases.clearAll(), this.#news.close()]);
    await this.#session.close();
    await this.#link.close();
    this.#texts.clear();
  }

  #assertWritable(): void {
    if (!this.#isReadOnly) return;
    throw new CadreError(
      'STORE_FAILED',
      `${this.location}: the journal is open for reading only; nothing was written. Open it without readOnly`,
      {
        details: { location: this.location },
      },
    );
  }

  async #guard<T>(doing: string, work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closedJournal(this.location);
    try {
      return await work();
    } catch (thrown) {
      throw toPostgresError(thrown, { location: this.location, doing });
    }
  }
}
