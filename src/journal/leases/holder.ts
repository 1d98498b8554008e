import { hostname } from 'node:os';
import { CadreError } from '../../core/error.ts';
import { parseOwner } from './lease-owner.ts';
import type { Look, ProcessIdentity, ProcessWatch } from './process-watch.ts';

type Row = Readonly<Record<string, unknown>>;

/** Interval of a lease holder's heartbeat and the silence after which it counts as gone, in milliseconds. */
export interface LeaseTimes {
  readonly heartbeatMs: number;
  readonly expiryMs: number;
}

/** Default times of leases. */
export const defaultLeaseTimes: LeaseTimes = { heartbeatMs: 5_000, expiryMs: 30_000 };

/**
 * Fills in defaults for the times of leases.
 *
 * @throws CadreError `OPTION_INVALID` when a time is not a number from 1, or three missed heartbeats would exceed the expiry
 */
export function checkLeaseTimes(times: Partial<LeaseTimes> = {}): LeaseTimes {
  const { heartbeatMs, expiryMs } = { ...defaultLeaseTimes, ...times };
  if (areTimes({ heartbeatMs, expiryMs })) return { heartbeatMs, expiryMs };
  throw new CadreError(
    'OPTION_INVALID',
    `leases: heartbeatMs is ${heartbeatMs} and expiryMs ${expiryMs}; they are milliseconds, at least 1, and expiryMs is at least three times heartbeatMs`,
    { details: { heartbeatMs, expiryMs } },
  );
}

function areTimes({ heartbeatMs, expiryMs }: LeaseTimes): boolean {
  return heartbeatMs >= 1 && expiryMs >= 3 * heartbeatMs && expiryMs < 2 ** 31;
}

/** Holder of a lease and its signs of life. */
export interface Holder {
  readonly owner: string;
  /** Time it took the lease, in milliseconds since 1970. */
  readonly since: number;
  readonly identity: ProcessIdentity;
  readonly times: LeaseTimes;
  /** Counter that each heartbeat increases; undefined for a version of Cadre without heartbeats. */
  readonly beat: number | undefined;
  /** Time of its last heartbeat, on its own clock. */
  readonly beatAt: number;
  /** Time it was asked for a heartbeat, on the asking process's clock; undefined when it was not asked or has answered since. */
  readonly asked: { readonly clock: string; readonly at: number } | undefined;
}

/** State of a holder; `unsure` until more time has passed, at most `knownInMs`. */
export type Verdict =
  | { readonly kind: 'alive' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unsure'; readonly knownInMs: number };

/** Columns of a query over `leases` and `owners` that `toHolder` reads. */
export const holderColumns = `leases.owner, leases.since, leases.birth, owners.machine, owners.clock, owners.pid, owners.born, owners.beat,
  owners.beat_at, owners.beat_ms, owners.expiry_ms, owners.asked_clock, owners.asked_at`;

/** Empty substitute for `owners` in a file of an older layout. */
export const noOwners = `(SELECT NULL AS owner, NULL AS machine, NULL AS clock, NULL AS pid, NULL AS born, NULL AS beat, NULL AS beat_at,
  NULL AS beat_ms, NULL AS expiry_ms, NULL AS asked_clock, NULL AS asked_at)`;

/** Reads the holder of a lease from a row with `holderColumns`; undefined when the run is free. */
export function toHolder(row: Row | undefined, self: ProcessIdentity): Holder | undefined {
  const owner = row?.['owner'];
  if (row === undefined || typeof owner !== 'string') return undefined;
  const isKnown = typeof row['machine'] === 'string';
  const asked = typeof row['asked_clock'] === 'string' ? { clock: row['asked_clock'], at: numberOf(row['asked_at']) } : undefined;
  return {
    owner,
    since: Number(row['since']),
    identity: isKnown
      ? { machine: String(row['machine']), clock: String(row['clock']), pid: Number(row['pid']), birth: String(row['born']) }
      : olderIdentity(owner, row['birth'], self),
    times: isKnown ? timesOf(row) : defaultLeaseTimes,
    beat: isKnown ? numberOf(row['beat']) : undefined,
    beatAt: numberOf(row['beat_at']),
    asked,
  };
}

/**
 * Reads times from a row. Falls back to the defaults for values that no process can have written, since a file may come from
 * anywhere.
 */
function timesOf(row: Row): LeaseTimes {
  const times = { heartbeatMs: numberOf(row['beat_ms']), expiryMs: numberOf(row['expiry_ms']) };
  return areTimes(times) ? times : defaultLeaseTimes;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** Builds the identity of a holder of an older version: host, process id, and boot and start of the process. */
function olderIdentity(owner: string, birth: unknown, self: ProcessIdentity): ProcessIdentity {
  const { pid, host } = parseOwner(owner) ?? { pid: 0, host: '' };
  if (host !== hostname()) return { machine: '', clock: '', pid, birth: '' };
  const boot = `${self.machine.split(' ')[0]}:`;
  const text = typeof birth === 'string' ? birth : '';
  return { machine: self.machine, clock: '', pid, birth: text.startsWith(boot) ? text.slice(boot.length) : text };
}

/** True when a holder looks gone without asking it, for lists: silence past its expiry counts. */
export function seemsGone(holder: Holder, watch: ProcessWatch): boolean {
  const look = lookAt(holder, watch);
  if (look !== 'unseen') return look === 'gone';
  const { identity, beat, beatAt, asked, times } = holder;
  const isSilent = (clock: string, at: number): boolean => isPast(clock, at, watch) && watch.now() - at >= times.expiryMs;
  return (beat !== undefined && isSilent(identity.clock, beatAt)) || (asked !== undefined && isSilent(asked.clock, asked.at));
}

/** Looks at a holder's process. */
export function lookAt({ identity }: Holder, watch: ProcessWatch): Look {
  return identity.pid === 0 ? 'unseen' : watch.look(identity);
}

/**
 * Returns the milliseconds until continued silence proves that a holder is gone, 0 once it does. `askedAt` is on this process's
 * clock.
 */
export function silenceLeft({ identity, beatAt, times }: Holder, askedAt: number, watch: ProcessWatch): number {
  const { heartbeatMs, expiryMs } = times;
  // Its last heartbeat counts where both read the same clock. It still gets time to answer: its disk may have been full.
  const end = isPast(identity.clock, beatAt, watch)
    ? Math.max(beatAt + expiryMs, askedAt + Math.min(3 * heartbeatMs, expiryMs))
    : askedAt + expiryMs;
  return Math.max(0, end - watch.now());
}

/** True when a time was read on this clock and is not ahead of it, as one from before a system restart would be. */
export function isPast(clock: string, at: number, watch: ProcessWatch): boolean {
  return clock !== '' && clock === watch.self.clock && at <= watch.now();
}
