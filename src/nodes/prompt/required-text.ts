import { CadreError } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';

/** A stored text that a model call cannot be made without: another prompt than the recorded one is never sent. */
export function requiredText(content: (hash: ContentHash) => string | undefined, hash: ContentHash, what: string): string {
  const text = content(hash);
  if (text === undefined) throw new CadreError('STORE_CORRUPT', `the journal lacks a text: ${what} (${hash})`);
  return text;
}
