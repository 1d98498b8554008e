import { hash } from 'node:crypto';
import type { ContentHash } from '../../core/ids.ts';

const addressPattern = /^[\w-]{22}$/;

/** The address of a text: the first 22 characters (132 bits) of its SHA-256 in base64url. */
export function addressOf(text: string): ContentHash {
  return hash('sha256', text, 'base64url').slice(0, 22) as ContentHash;
}

/** False when a text is not the one its address was made of. An address of another form is one that a caller chose, and says nothing. */
export function isTextOf(address: ContentHash, text: string): boolean {
  return !addressPattern.test(address) || addressOf(text) === address;
}
