import type { ContentHash } from '../../core/ids.ts';
import { addressOf } from '../../journal/codec/text-address.ts';

const remembered = 512;
/** Shorter texts are cheaper to hash than to keep. */
const fewestRemembered = 100;

/**
 * Returns the function that addresses texts: the first 22 characters (132 bits) of the SHA-256 in base64url. Recent texts are cached, since
 * prompts repeat their segments.
 */
export function createContentHash(): (text: string) => ContentHash {
  const known = new Map<string, ContentHash>();
  return (text) => {
    if (text.length < fewestRemembered) return addressOf(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = addressOf(text);
    if (known.size >= remembered) known.clear();
    known.set(text, made);
    return made;
  };
}
