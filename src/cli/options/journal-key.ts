import type { IntegrityOptions } from '../../journal/commit-chain.ts';

/** Environment variable with the key that seals the commits of journals. */
export const journalKeyVariable = 'CADRE_JOURNAL_KEY';

/** Returns the key of the user's journals as store options; empty when there is none. */
export function journalIntegrity(): { readonly integrity?: IntegrityOptions } {
  const key = process.env[journalKeyVariable];
  return key === undefined || key === '' ? {} : { integrity: { key } };
}

/** Returns the key as a secret to redact from the journal. */
export function journalSecrets(): { readonly secrets?: readonly string[] } {
  const key = process.env[journalKeyVariable];
  return key === undefined || key === '' ? {} : { secrets: [key] };
}
