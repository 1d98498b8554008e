import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Holder, isPast, lookAt, type LeaseTimes, silenceLeft, type Verdict } from './holder.ts';
import type { ProcessWatch } from './process-watch.ts';

/** Observation of a holder whose process is not visible. */
interface Sighting {
  readonly beat: number | undefined;
  /** Time it was asked, or was seen to answer. */
  readonly at: number;
  readonly hasAnswered: boolean;
}

/**
 * Rows of `owners`: one per engine that holds runs, with its heartbeats.
 *
 * 1. A holder on this machine is looked at: alive or gone is known immediately.
 * 2. Any other holder is asked for a heartbeat, in its row, and counts as gone after `expiryMs` of silence. Asking is a write:
 *    while a full disk stops all writes, a holder that cannot answer does not count as gone.
 * 3. Clocks of different systems are never compared, and the wall clock is not read.
 */
export class SqliteOwners {
  readonly #database: DatabaseSync;
  readonly #watch: ProcessWatch;
  readonly #times: LeaseTimes;
  readonly #sightings = new Map<string, Sighting>();
  #statements:
    | { readonly register: StatementSync; readonly sweep: StatementSync; readonly beat: StatementSync; readonly ask: StatementSync }
    | undefined;
  #isSwept = false;

  constructor(database: DatabaseSync, watch: ProcessWatch, times: LeaseTimes) {
    this.#database = database;
    this.#watch = watch;
    this.#times = times;
  }

  /** Registers an owner of this process, which counts as a heartbeat. Call it inside the transaction that takes a lease. */
  register(owner: string): void {
    const { register, sweep } = this.#prepared();
    const { machine, clock, pid, birth } = this.#watch.self;
    // Remove owners without leases: their engines have closed or were replaced.
    if (!this.#isSwept) sweep.run();
    this.#isSwept = true;
    register.run(owner, machine, clock, pid, birth, this.#watch.now(), this.#times.heartbeatMs, this.#times.expiryMs);
  }

  /** Writes a heartbeat. */
  beat(owner: string): void {
    this.#prepared().beat.run(this.#watch.now(), owner);
  }

  /** Returns the state of a run's holder; asks a holder whose process is not visible. Call it inside a write transaction. */
  checkHolder(holder: Holder): Verdict {
    const look = lookAt(holder, this.#watch);
    if (look !== 'unseen') return { kind: look };
    const before = this.#sightings.get(holder.owner);
    const now = this.#watch.now();
    if (before !== undefined && before.beat !== holder.beat) {
      this.#sightings.set(holder.owner, { beat: holder.beat, at: now, hasAnswered: true });
      return { kind: 'alive' };
    }
    if (before?.hasAnswered === true && now - before.at < 2 * holder.times.heartbeatMs) return { kind: 'alive' };
    // If the asking transaction was rolled back, the holder was not asked.
    const isWaiting = before?.hasAnswered === false && holder.asked !== undefined;
    const askedAt = isWaiting ? before.at : this.#ask(holder, now);
    const knownInMs = silenceLeft(holder, askedAt, this.#watch);
    return knownInMs > 0 ? { kind: 'unsure', knownInMs } : { kind: 'gone' };
  }

  /** Returns the time a holder was asked: earlier by a process of this clock without an answer since, or now. */
  #ask(holder: Holder, now: number): number {
    const { owner, identity, asked, beat, times } = holder;
    const isAsked = asked !== undefined && isPast(asked.clock, asked.at, this.#watch);
    const at = isAsked ? asked.at : now;
    if (!isAsked) {
      const { machine, clock, pid, birth } = identity;
      this.#prepared().ask.run(owner, machine, clock, pid, birth, times.heartbeatMs, times.expiryMs, this.#watch.self.clock, now);
    }
    // Asking gives a holder of an older version its row.
    this.#sightings.set(owner, { beat: beat ?? 0, at, hasAnswered: false });
    return at;
  }

  #prepared() {
    this.#statements ??= {
      register: this.#database.prepare(
        `INSERT INTO owners (owner, machine, clock, pid, born, beat, beat_at, beat_ms, expiry_ms) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)
         ON CONFLICT (owner) DO UPDATE SET beat = beat + 1, beat_at = excluded.beat_at, asked_clock = NULL, asked_at = NULL`,
      ),
      sweep: this.#database.prepare(`DELETE FROM owners WHERE owner NOT IN (SELECT owner FROM leases WHERE owner IS NOT NULL)`),
      beat: this.#database.prepare(
        'UPDATE owners SET beat = beat + 1, beat_at = ?, asked_clock = NULL, asked_at = NULL WHERE owner = ?',
      ),
      ask: this.#database.prepare(
        `INSERT INTO owners (owner, machine, clock, pid, born, beat, beat_at, beat_ms, expiry_ms, asked_clock, asked_at)
         VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?)
         ON CONFLICT (owner) DO UPDATE SET asked_clock = excluded.asked_clock, asked_at = excluded.asked_at`,
      ),
    };
    return this.#statements;
  }
}
