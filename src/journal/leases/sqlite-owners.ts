import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Holder, isPast, lookAt, type LeaseTimes, silenceLeft, type Verdict } from './holder.ts';
import type { ProcessWatch } from './process-watch.ts';

/** What this process has seen of a holder it cannot look at. */
interface Sighting {
  readonly beat: number | undefined;
  /** When it was asked, or else when it was seen to answer. */
  readonly at: number;
  readonly hasAnswered: boolean;
}

/**
 * The rows of owners: one for each engine that holds runs, with its signs of life.
 *
 * 1. A holder on this machine is looked at: alive or gone is known at once.
 * 2. Any other is asked for a sign of life, in its row, and is gone when it has given none for its `expiryMs`. Asking is a write: a holder
 *    that could not write either, since the disk was full, is not taken for gone.
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

  /** Says that an owner of this process is at work, which is a sign of life; inside the transaction that takes a lease. */
  register(owner: string): void {
    const { register, sweep } = this.#prepared();
    const { machine, clock, pid, birth } = this.#watch.self;
    // Those that hold nothing any more: their engines have closed, or were replaced.
    if (!this.#isSwept) sweep.run();
    this.#isSwept = true;
    register.run(owner, machine, clock, pid, birth, this.#watch.now(), this.#times.heartbeatMs, this.#times.expiryMs);
  }

  /** Gives a sign of life. */
  beat(owner: string): void {
    this.#prepared().beat.run(this.#watch.now(), owner);
  }

  /** What becomes of a run that somebody holds; a holder that cannot be looked at is asked. Inside a write transaction. */
  judge(holder: Holder): Verdict {
    const look = lookAt(holder, this.#watch);
    if (look !== 'unseen') return { kind: look };
    const before = this.#sightings.get(holder.owner);
    const now = this.#watch.now();
    if (before !== undefined && before.beat !== holder.beat) {
      this.#sightings.set(holder.owner, { beat: holder.beat, at: now, hasAnswered: true });
      return { kind: 'alive' };
    }
    if (before?.hasAnswered === true && now - before.at < 2 * holder.times.heartbeatMs) return { kind: 'alive' };
    // What was asked in a transaction that came to nothing was not asked.
    const isWaiting = before?.hasAnswered === false && holder.asked !== undefined;
    const askedAt = isWaiting ? before.at : this.#ask(holder, now);
    const knownInMs = silenceLeft(holder, askedAt, this.#watch);
    return knownInMs > 0 ? { kind: 'unsure', knownInMs } : { kind: 'gone' };
  }

  /** When a holder was asked: by another process of this clock that has not heard of it since, or now. */
  #ask(holder: Holder, now: number): number {
    const { owner, identity, asked, beat, times } = holder;
    const isAsked = asked !== undefined && isPast(asked.clock, asked.at, this.#watch);
    const at = isAsked ? asked.at : now;
    if (!isAsked) {
      const { machine, clock, pid, birth } = identity;
      this.#prepared().ask.run(owner, machine, clock, pid, birth, times.heartbeatMs, times.expiryMs, this.#watch.self.clock, now);
    }
    // One of an older version has a row from now on.
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
