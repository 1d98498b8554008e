import type { IntegrityOptions } from '../commit-chain.ts';
import type { LeaseTimes } from '../leases/holder.ts';
import type { ProcessWatch } from '../leases/process-watch.ts';
import type { SignatureOptions } from './run-signatures.ts';

/** Options for opening a journal file. */
export interface SqliteJournalOptions {
  /** Only reads. Works while another process writes, and on read-only files. */
  readonly readOnly?: boolean;
  /**
   * `normal`: a commit survives a killed process, and a power cut unless it is among the latest ones that did not ask for `sync`.
   * `full`: every commit survives a power cut.
   */
  readonly durability?: 'normal' | 'full';
  /**
   * Takes runs even from a holder that seems alive; the old holder's next append fails. For a holder that hangs or is not visible.
   */
  readonly takeOver?: boolean;
  /**
   * Heartbeat interval and expiry of leases: 5 and 30 seconds by default. They count only where one process cannot see the other
   * (another host or container).
   */
  readonly leases?: Partial<LeaseTimes>;
  /** Seals commits with a key and checks the seals when reading: a commit changed or added without the key is STORE_CORRUPT. */
  readonly integrity?: IntegrityOptions | undefined;
  /** Signs the runs that are written, so that those of others can be told from them (`signatures`). Unlike `integrity`, refuses nothing. */
  readonly signature?: SignatureOptions | undefined;
  /** Processes to watch in place of the system's, for a simulation. */
  readonly processes?: ProcessWatch;
}
