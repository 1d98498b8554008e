import { sharedPrefix } from '../leases/lease-owner.ts';
import type { Row } from './connections.ts';

/**
 * Columns about the holder of a lease, for a query over `runs` and `owners` (as `runs` and `owners`). All times are the server's: clocks of
 * the processes do not count.
 */
export function holderColumns(lockClass: number): string {
  return `runs.owner, (extract(epoch FROM runs.since) * 1000)::double precision AS since, owners.expiry_ms, owners.heartbeat_ms,
    (extract(epoch FROM clock_timestamp() - owners.beat) * 1000)::double precision AS silence_ms,
    (extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::double precision AS uptime_ms,
    coalesce(owners.id IN (
      SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid::bigint = ${lockClass >>> 0}
    ), false) AS has_session`;
}

/**
 * State of the holder of a lease.
 *
 * `lost`: its session has ended, and it was heard of shortly before: it was killed, or its connection was cut and it opens another one at
 * once. `unsure`: the server has started since its last sign of life, and it may open a session again; known in `knownInMs`.
 */
export type HolderState =
  | { readonly kind: 'free' | 'alive' | 'lost' | 'gone' }
  | { readonly kind: 'unsure'; readonly knownInMs: number };

/** Reads the state of a holder from a row with `holderColumns`. */
export function holderState(row: Row | undefined): HolderState {
  if (row === undefined || typeof row['owner'] !== 'string') return { kind: 'free' };
  if (row['owner'].startsWith(sharedPrefix)) return { kind: 'alive' };
  const silence = row['silence_ms'];
  // Its row was removed, long after its last sign of life.
  if (typeof silence !== 'number') return { kind: 'gone' };
  if (silence >= Number(row['expiry_ms'])) return { kind: 'gone' };
  if (row['has_session'] === true) return { kind: 'alive' };
  const uptime = Number(row['uptime_ms']);
  const knownInMs = 2 * Number(row['heartbeat_ms']) - uptime;
  return silence > uptime && knownInMs > 0 ? { kind: 'unsure', knownInMs } : { kind: 'lost' };
}

/** True when a run has a holder that may be alive. */
export function isHeld(row: Row | undefined): boolean {
  const { kind } = holderState(row);
  return kind === 'alive' || kind === 'unsure';
}
