import type { ContentHash } from '../../core/ids.ts';
import { addressOf } from '../../journal/codec/text-address.ts';

const remembered = 512;
/** Shorter texts cost less to hash than to remember. */
const fewestRemembered = 100;

/**
 * Makes the function that addresses texts: the first 22 characters (132 bits) of the SHA-256 in base64url. Texts seen
 * lately are remembered, since prompts repeat their segments.
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
