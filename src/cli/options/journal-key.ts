import type { IntegrityOptions } from '../../journal/commit-chain.ts';

/** The variable that holds the key with which the commits of journals are sealed. */
export const journalKeyVariable = 'CADRE_JOURNAL_KEY';

/** The key of the user's journals, as options of a store; nothing when there is none. */
export function journalIntegrity(): { readonly integrity?: IntegrityOptions } {
  const key = process.env[journalKeyVariable];
  return key === undefined || key === '' ? {} : { integrity: { key } };
}

/** The key as a value that must never be recorded. */
export function journalSecrets(): { readonly secrets?: readonly string[] } {
  const key = process.env[journalKeyVariable];
  return key === undefined || key === '' ? {} : { secrets: [key] };
}
