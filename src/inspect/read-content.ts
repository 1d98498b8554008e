import type { ContentHash } from '../core/ids.ts';
import { readJson } from '../core/read-json.ts';

/** Looks a text up by its hash; undefined when the content store does not have it. */
export type ReadContent = (hash: ContentHash) => string | undefined;

/** Parses a stored JSON list; returns an empty list for a missing or malformed text, so that views never fail on it. */
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
