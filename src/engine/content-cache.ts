import type { ContentHash } from '../core/ids.ts';
import { type Journal, storedText } from '../core/journal.ts';

/** Most texts that are remembered; then all are forgotten, and read again when they are asked for. */
const mostTexts = 2_000;

/** Reads the texts of a journal's content store, and remembers them. */
export function createContentCache(journal: Journal): (hash: ContentHash) => string | undefined {
  const texts = new Map<ContentHash, string>();
  return (hash) => {
    const known = texts.get(hash);
    if (known !== undefined) return known;
    const text = storedText(journal, hash);
    if (text === undefined) return undefined;
    if (texts.size > mostTexts) texts.clear();
    texts.set(hash, text);
    return text;
  };
}
