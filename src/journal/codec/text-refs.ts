import type { ContentEntry } from '../../core/events/journal.ts';

/**
 * Addresses of texts (text-address.ts), as they appear in an encoded commit and in a stored text that lists others. Another id of the same
 * form costs a look-up, nothing else.
 */
const addresses = /"([\w-]{22})"/g;

/** Yields what may be an address of a text in an encoded commit or a stored text. */
export function* addressesIn(text: string): Generator<string> {
  for (const [, address] of text.matchAll(addresses)) if (address !== undefined) yield address;
}

/** Returns the hashes of the texts that an encoded commit refers to, and of those stored with it. */
export function refsOf(body: string, contents: readonly ContentEntry[]): ReadonlySet<string> {
  const refs = new Set<string>(contents.map(({ hash }) => hash));
  for (const address of addressesIn(body)) refs.add(address);
  return refs;
}

/** Joins hashes for the column `refs`; null for none. */
export function joinRefs(refs: ReadonlySet<string>): string | null {
  return refs.size === 0 ? null : [...refs].join(' ');
}
