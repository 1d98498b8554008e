import type { ContentEntry } from '../../core/events/journal.ts';

/** Addresses of texts (text-address.ts), as they stand in an encoded commit. Another id of the same form costs a look-up, nothing else. */
const addresses = /"([\w-]{22})"/g;

/** Returns the hashes of the texts that an encoded commit refers to, and of those stored with it. */
export function refsOf(body: string, contents: readonly ContentEntry[]): ReadonlySet<string> {
  const refs = new Set<string>(contents.map(({ hash }) => hash));
  for (const [, address] of body.matchAll(addresses)) if (address !== undefined) refs.add(address);
  return refs;
}

/** Joins hashes for the column `refs`; null for none. */
export function joinRefs(refs: ReadonlySet<string>): string | null {
  return refs.size === 0 ? null : [...refs].join(' ');
}
