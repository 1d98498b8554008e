import { hostname } from 'node:os';
import { CadreError } from '../../core/error.ts';
import { parseOwner } from './lease-owner.ts';
import type { Look, ProcessIdentity, ProcessWatch } from './process-watch.ts';

type Row = Readonly<Record<string, unknown>>;

/** How often a holder gives a sign of life, and after how long a silence it counts as gone, in milliseconds. */
export interface LeaseTimes {
  readonly heartbeatMs: number;
  readonly expiryMs: number;
}

/** The times leases have unless others are named. */
export const usualLeaseTimes: LeaseTimes = { heartbeatMs: 5_000, expiryMs: 30_000 };

/**
 * Completes the times of leases.
 *
 * @throws CadreError `OPTION_INVALID` when they are no numbers from 1, or a silence of three heartbeats would already be the end
 */
export function checkLeaseTimes(times: Partial<LeaseTimes> = {}): LeaseTimes {
  const { heartbeatMs, expiryMs } = { ...usualLeaseTimes, ...times };
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

/** Who holds a lease, and what is known of its life. */
export interface Holder {
  readonly owner: string;
  /** When it took the lease, in milliseconds since 1970. */
  readonly since: number;
  readonly identity: ProcessIdentity;
  readonly times: LeaseTimes;
  /** Grows with each sign of life; undefined for a version of Cadre that gives none. */
  readonly beat: number | undefined;
  /** When it last gave one, on its own clock. */
  readonly beatAt: number;
  /** When it was asked for one, on the clock of who asked; undefined when it has answered since, or was not asked. */
  readonly asked: { readonly clock: string; readonly at: number } | undefined;
}

/** What is known of a holder: `unsure` when another moment must tell, at most `knownInMs` from now. */
export type Verdict =
  | { readonly kind: 'alive' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unsure'; readonly knownInMs: number };

/** Columns of a query over `leases` and `owners` that `toHolder` reads. */
export const holderColumns = `leases.owner, leases.since, leases.birth, owners.machine, owners.clock, owners.pid, owners.born, owners.beat,
  owners.beat_at, owners.beat_ms, owners.expiry_ms, owners.asked_clock, owners.asked_at`;

/** The same columns for a file of an older layout, which has no owners. */
export const noOwners = `(SELECT NULL AS owner, NULL AS machine, NULL AS clock, NULL AS pid, NULL AS born, NULL AS beat, NULL AS beat_at,
  NULL AS beat_ms, NULL AS expiry_ms, NULL AS asked_clock, NULL AS asked_at)`;

/** Reads who holds a lease from a row with `holderColumns`; undefined when the run is free. */
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
    times: isKnown ? timesOf(row) : usualLeaseTimes,
    beat: isKnown ? numberOf(row['beat']) : undefined,
    beatAt: numberOf(row['beat_at']),
    asked,
  };
}

/** A file that comes from others may say anything: times that no process can have asked for are the usual ones. */
function timesOf(row: Row): LeaseTimes {
  const times = { heartbeatMs: numberOf(row['beat_ms']), expiryMs: numberOf(row['expiry_ms']) };
  return areTimes(times) ? times : usualLeaseTimes;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** An older version knew a holder by host, process id, and boot and start of the process. */
function olderIdentity(owner: string, birth: unknown, self: ProcessIdentity): ProcessIdentity {
  const { pid, host } = parseOwner(owner) ?? { pid: 0, host: '' };
  if (host !== hostname()) return { machine: '', clock: '', pid, birth: '' };
  const boot = `${self.machine.split(' ')[0]}:`;
  const text = typeof birth === 'string' ? birth : '';
  return { machine: self.machine, clock: '', pid, birth: text.startsWith(boot) ? text.slice(boot.length) : text };
}

/** What is known of a holder by looking alone, for lists: one that is silent for too long counts as gone. */
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

/** Milliseconds until the silence of a holder that was asked at `askedAt` (on this clock) proves that it is gone; 0 when it does. */
export function silenceLeft({ identity, beatAt, times }: Holder, askedAt: number, watch: ProcessWatch): number {
  const { heartbeatMs, expiryMs } = times;
  // Its last sign of life counts where both read the same clock. It must have had time to answer all the same: its store may have been full.
  const end = isPast(identity.clock, beatAt, watch)
    ? Math.max(beatAt + expiryMs, askedAt + Math.min(3 * heartbeatMs, expiryMs))
    : askedAt + expiryMs;
  return Math.max(0, end - watch.now());
}

/** Tells whether a time was read on this clock: one that lies ahead is from before a restart of the system. */
export function isPast(clock: string, at: number, watch: ProcessWatch): boolean {
  return clock !== '' && clock === watch.self.clock && at <= watch.now();
}
