import { hash } from 'node:crypto';
import type { ContentHash } from '../../core/ids.ts';

const addressPattern = /^[\w-]{22}$/;

/** Returns the address of a text: the first 22 characters (132 bits) of its SHA-256 in base64url. */
export function addressOf(text: string): ContentHash {
  return hash('sha256', text, 'base64url').slice(0, 22) as ContentHash;
}

/**
 * False when the address was computed from another text. True for an address of another form, which a caller chose and cannot be
 * checked.
 */
export function isTextOf(address: ContentHash, text: string): boolean {
  return !addressPattern.test(address) || addressOf(text) === address;
}
