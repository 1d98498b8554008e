import type { IntegrityOptions } from '../../journal/commit-chain.ts';
import { isServerStore, serverPasswords } from './server-store.ts';

/** Environment variable with the key that seals the commits of journals. */
export const journalKeyVariable = 'CADRE_JOURNAL_KEY';

/** Returns the key of the user's journals as store options; empty when there is none. */
export function journalIntegrity(): { readonly integrity?: IntegrityOptions } {
  const key = process.env[journalKeyVariable];
  return key === undefined || key === '' ? {} : { integrity: { key } };
}

/** Returns the key, and the password of a server that keeps the journal, as secrets to redact from the journal. */
export function journalSecrets(store: string | undefined): { readonly secrets?: readonly string[] } {
  const secrets = [process.env[journalKeyVariable], ...(isServerStore(store) ? serverPasswords(store) : [])];
  const given = secrets.flatMap((secret) => (secret === undefined || secret === '' ? [] : [secret]));
  return given.length === 0 ? {} : { secrets: given };
}
