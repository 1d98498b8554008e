import type { ContentHash } from '../core/ids.ts';
import { readJson } from '../core/read-json.ts';

/**
 * Looks a text up by its hash; undefined when there is none, or not yet, as in a page that loads texts while it shows them. Over a journal
 * it is `requiredTexts`: a text that is not there is an error, and no view shows it as an empty one.
 */
export type ReadContent = (hash: ContentHash) => string | undefined;

/** Parses a stored JSON list; returns an empty list for a text that has not come, or is malformed. */
export function readList(content: ReadContent, hash: ContentHash): readonly unknown[] {
  const text = content(hash);
  if (text === undefined) return [];
  try {
    const value: unknown = readJson(text);
    return Array.isArray(value) ? (value as readonly unknown[]) : [];
  } catch {
    // Views show what can be read; a damaged text is the store's to report.
    return [];
  }
}
