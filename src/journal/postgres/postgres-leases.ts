import { setTimeout as pause } from 'node:timers/promises';
import { nanoid } from 'nanoid';
import type { RunId } from '../../core/ids.ts';
import type { Lease } from '../../core/events/journal.ts';
import { deletedRun, lockedRun } from '../commit-check.ts';
import type { LeaseTimes } from '../leases/holder.ts';
import type { Connections, Row, Sql } from './connections.ts';
import { type HolderState, holderColumns, holderState } from './holder-state.ts';
import type { LockSession } from './lock-session.ts';

/** Milliseconds after which a holder without a session is looked at again: a cut connection is opened again within them. */
const secondLookMs = 500;

/** Services and settings of the leases of one journal. */
interface LeaseParts {
  readonly connections: () => Promise<Connections>;
  readonly session: LockSession;
  readonly schema: string;
  readonly location: string;
  readonly lockClass: number;
  readonly takeOver: boolean;
  readonly times: LeaseTimes;
}

/** Lease, with what its first append needs to know of the run. */
interface Taken {
  readonly lease: Lease;
  readonly lastSeq: number;
}

/**
 * Leases in `runs`, and the signs of life of their holders (I8).
 *
 * 1. A holder is alive while its session lasts and its heartbeats, by the server's clock, are younger than its expiry.
 * 2. The row of a run is locked while its lease changes hands: an append that is on its way is written before, or fails.
 * 3. An acquisition whose answer was lost is found again by its claim.
 */
export class PostgresLeases {
  readonly #parts: LeaseParts;
  readonly #held = new Map<RunId, Lease>();
  readonly #uncleared = new Set<Lease>();
  #beating: ReturnType<typeof setInterval> | undefined;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Takes a run; `claim` is the same for all tries of one acquisition. Throws RUN_LOCKED or RUN_DELETED. */
  async acquire(runId: RunId, owner: string, claim: string): Promise<Taken> {
    const first = await this.#take({ runId, owner, claim, lost: undefined });
    if ('lease' in first) return this.#keep(first);
    await pause(secondLookMs);
    const second = await this.#take({ runId, owner, claim, lost: first.lost });
    return 'lease' in second ? this.#keep(second) : await this.acquire(runId, owner, claim);
  }

  /** Returns a text that tells one acquisition from another. */
  newClaim(): string {
    return nanoid();
  }

  /** True when a lease is still the run's current one. */
  async holds({ runId, owner, epoch }: Lease): Promise<boolean> {
    const connections = await this.#parts.connections();
    const rows = await connections.query(
      `SELECT 1 FROM "${this.#parts.schema}".runs WHERE run_id = $1 AND epoch = $2 AND owner = $3`,
      [runId, epoch, owner],
      'cadre-holds',
    );
    return rows.length > 0;
  }

  /** Gives a run up: this journal treats it as free immediately; `clear` tells the others. */
  giveUp(lease: Lease): void {
    if (this.#held.get(lease.runId)?.epoch === lease.epoch) this.#held.delete(lease.runId);
    this.#uncleared.add(lease);
    givenUp.add(keyOf(this.#parts.location, lease));
  }

  /** Clears a lease that was given up. Does nothing when another process has taken the run. */
  async clear(lease: Lease): Promise<void> {
    const connections = await this.#parts.connections();
    await connections.query(
      `UPDATE "${this.#parts.schema}".runs SET owner = NULL, since = NULL, claim = NULL WHERE run_id = $1 AND epoch = $2 AND owner = $3`,
      [lease.runId, lease.epoch, lease.owner],
      'cadre-release',
    );
    this.#uncleared.delete(lease);
    givenUp.delete(keyOf(this.#parts.location, lease));
    if (this.#held.size === 0 && this.#uncleared.size === 0) this.stop();
  }

  /** Gives up and clears every run that this journal holds. */
  async clearAll(): Promise<void> {
    this.stop();
    for (const lease of this.#held.values()) this.giveUp(lease);
    await Promise.all([...this.#uncleared].map((lease) => this.clear(lease)));
  }

  /** Writes a heartbeat, and waits until the server has it and all commits before it on disk. */
  async beat(): Promise<void> {
    const { schema } = this.#parts;
    const owners = [...new Set([...this.#held.values()].map(({ owner }) => owner))];
    const connections = await this.#parts.connections();
    await connections.query(`UPDATE "${schema}".owners SET beat = clock_timestamp() WHERE owner = ANY($1)`, [owners], 'cadre-beat');
  }

  /** Stops the heartbeat. */
  stop(): void {
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  #keep(taken: Taken): Taken {
    this.#held.set(taken.lease.runId, taken.lease);
    // A heartbeat that fails is followed by the next one; appends report what is wrong with the server.
    this.#beating ??= setInterval(() => void this.#keepAlive().catch(() => undefined), this.#parts.times.heartbeatMs).unref();
    return taken;
  }

  async #take(wanted: WantedLease): Promise<Taken | { readonly lost: number }> {
    const { schema, session } = this.#parts;
    const connections = await this.#parts.connections();
    // Before the lease: a holder without its lock would look dead.
    await session.hold(await this.#register(connections.query, wanted.owner));
    return await connections.transaction(async (query) => {
      await query(`INSERT INTO "${schema}".runs (run_id) VALUES ($1) ON CONFLICT DO NOTHING`, [wanted.runId]);
      const [row] = await query(
        `SELECT runs.epoch, runs.claim, runs.deleted_at, runs.last_seq, ${holderColumns(this.#parts.lockClass)}
         FROM "${schema}".runs AS runs LEFT JOIN "${schema}".owners AS owners ON owners.owner = runs.owner
         WHERE runs.run_id = $1 FOR UPDATE OF runs`,
        [wanted.runId],
      );
      const found = this.#check(wanted, row ?? {});
      if (found !== undefined) return found;
      const [taken] = await query(
        `UPDATE "${schema}".runs SET epoch = epoch + 1, owner = $2, since = clock_timestamp(), claim = $3 WHERE run_id = $1
         RETURNING epoch, last_seq`,
        [wanted.runId, wanted.owner, wanted.claim],
      );
      return takenOf(wanted, taken ?? {});
    });
  }

  /** Returns what settles the acquisition; undefined when the run can be taken. */
  #check({ runId, owner, claim, lost }: WantedLease, row: Row): Taken | { readonly lost: number } | undefined {
    const { location, takeOver } = this.#parts;
    if (row['claim'] === claim) return takenOf({ runId, owner }, row);
    if (typeof row['deleted_at'] === 'number') throw deletedRun(location, runId);
    const epoch = Number(row['epoch']);
    const holder = String(row['owner']);
    const isGivenUp = givenUp.has(keyOf(location, { runId, owner: holder, epoch }));
    const state: HolderState = takeOver || isGivenUp ? { kind: 'gone' } : holderState(row);
    if (state.kind === 'lost') return lost === epoch ? undefined : { lost: epoch };
    if (state.kind !== 'alive' && state.kind !== 'unsure') return undefined;
    const knownInMs = state.kind === 'unsure' ? state.knownInMs : undefined;
    throw lockedRun(location, runId, { owner: holder, since: Number(row['since']), knownInMs });
  }

  async #register(query: Sql, owner: string): Promise<number> {
    const { schema, times } = this.#parts;
    const [row] = await query(
      `WITH swept AS (
         DELETE FROM "${schema}".owners AS old WHERE beat < now() - interval '1 day' AND owner <> $1
           AND NOT EXISTS (SELECT 1 FROM "${schema}".runs WHERE runs.owner = old.owner)
       )
       INSERT INTO "${schema}".owners (owner, beat, heartbeat_ms, expiry_ms) VALUES ($1, clock_timestamp(), $2, $3)
       ON CONFLICT (owner) DO UPDATE SET beat = excluded.beat RETURNING id`,
      [owner, times.heartbeatMs, times.expiryMs],
      'cadre-register',
    );
    return Number(row?.['id']);
  }

  async #keepAlive(): Promise<void> {
    await this.beat();
    await this.#parts.session.restore();
    for (const lease of this.#uncleared) await this.clear(lease);
  }
}

/**
 * Leases that journals of this process gave up while the server was away. An engine opened later must not find a run locked by its own
 * process.
 */
// Not state of a run: leases that this process has given up.
const givenUp = new Set<string>();

function keyOf(location: string, { runId, owner, epoch }: Lease): string {
  return JSON.stringify([location, runId, owner, epoch]);
}

/** Run to take. `lost` is the epoch of a holder whose session had ended at the first look. */
interface WantedLease {
  readonly runId: RunId;
  readonly owner: string;
  readonly claim: string;
  readonly lost: number | undefined;
}

function takenOf({ runId, owner }: Pick<WantedLease, 'runId' | 'owner'>, row: Row): Taken {
  return { lease: { runId, owner, epoch: Number(row['epoch']) }, lastSeq: Number(row['last_seq']) };
}
