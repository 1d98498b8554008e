import type { Journal } from '../../core/events/journal.ts';
import { createSqliteJournal } from '../../journal/sqlite/sqlite-journal.ts';
import { journalSignatureKey } from '../trust/machine-key.ts';
import type { SignedJournal } from '../trust/history-trust.ts';
import { journalIntegrity } from './journal-key.ts';
import { isServerStore, serverUrl } from './server-store.ts';
import { storePath } from './store-path.ts';

/** How a journal is opened. */
export interface OpenJournalOptions {
  readonly readOnly?: boolean;
  /** Takes runs over even from a holder that seems alive. */
  readonly takeOver?: boolean;
}

/** Opens the journal that `--store` names: a file, whose runs are signed for this machine, or a schema on a server. */
export async function openJournal(
  store: string | undefined,
  options: OpenJournalOptions = {},
): Promise<Journal & Partial<SignedJournal>> {
  const how = { ...options, ...journalIntegrity() };
  if (isServerStore(store)) {
    const { createPostgresJournal } = await import('../../journal/postgres/postgres-journal.ts');
    return createPostgresJournal({ url: serverUrl(store), ...how });
  }
  const file = storePath(store);
  if (options.readOnly === true) return createSqliteJournal(file, how);
  const key = await journalSignatureKey(file);
  return createSqliteJournal(file, { ...how, ...(key === undefined ? {} : { signature: { key } }) });
}
