import { CadreError } from '../../core/error.ts';
import type { IntegrityOptions } from '../commit-chain.ts';
import type { LeaseTimes } from '../leases/holder.ts';

/** Options for opening a journal on PostgreSQL. */
export interface PostgresJournalOptions {
  /**
   * `postgres://user:password@host:5432/database?schema=cadre`. The password can be left out and given as PGPASSWORD. TLS: `sslmode` and
   * `sslrootcert`, as for other programs.
   */
  readonly url: string;
  /** Schema of the journal, instead of the one in the URL; `cadre` by default. */
  readonly schema?: string;
  /** Most connections of this journal's pool, 10 by default. One more shows that its process lives. */
  readonly maxConnections?: number;
  /** Milliseconds for a connection to open, 5,000 by default. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds after which the server stops a statement, 30,000 by default. */
  readonly statementTimeoutMs?: number;
  /**
   * Most characters of texts in memory, 128,000,000 by default. Texts of runs that are held here always stay, and those of the run read
   * last.
   */
  readonly textMemory?: number;
  /** Only reads; neither creates nor migrates a schema. */
  readonly readOnly?: boolean;
  /**
   * `full`, the default: every commit waits until the server has it on disk. `normal`: only those that must survive a power cut wait; a
   * crash of the server can lose the last second of the others, and their runs then stop and are resumed from what is left.
   */
  readonly durability?: 'normal' | 'full';
  /** Takes runs even from a holder that seems alive; the old holder's next append fails. */
  readonly takeOver?: boolean;
  /** Heartbeat interval and expiry of leases: 5 and 30 seconds by default, by the server's clock. */
  readonly leases?: Partial<LeaseTimes>;
  /** Seals commits with a key and checks the seals when reading: a commit changed or added without the key is STORE_CORRUPT. */
  readonly integrity?: IntegrityOptions | undefined;
}

/** Numbers among the options: default, least and greatest value. */
const numbers = {
  maxConnections: [10, 1, 1_000],
  connectTimeoutMs: [5_000, 1, 2 ** 31 - 1],
  statementTimeoutMs: [30_000, 100, 2 ** 31 - 10_000],
  textMemory: [128_000_000, 0, Number.MAX_SAFE_INTEGER],
} as const;

/** Fills in defaults. Throws OPTION_INVALID. */
export function checkNumbers(options: PostgresJournalOptions): Readonly<Record<keyof typeof numbers, number>> {
  const checked = (name: keyof typeof numbers): number => {
    const [usual, least, most] = numbers[name];
    const value: unknown = options[name] ?? usual;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw new CadreError('OPTION_INVALID', `${name} is ${String(value)}; it must be a whole number from ${least} to ${most}`);
  };
  return {
    maxConnections: checked('maxConnections'),
    connectTimeoutMs: checked('connectTimeoutMs'),
    statementTimeoutMs: checked('statementTimeoutMs'),
    textMemory: checked('textMemory'),
  };
}
