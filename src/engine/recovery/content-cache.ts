import { CadreError, describeThrown } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import { type Journal, storedText } from '../../core/events/journal.ts';

/** Most texts kept; beyond that all are dropped, and read again on demand. */
const mostTexts = 2_000;

/**
 * Returns a cached reader of a journal's content store. Fails with an error that `isUnreadable` recognises when the store cannot read a
 * text.
 */
export function createContentCache(journal: Journal): (hash: ContentHash) => string | undefined {
  const texts = new Map<ContentHash, string>();
  const readable = { location: journal.location, content: (hash: ContentHash) => readText(journal, hash) };
  return (hash) => {
    const known = texts.get(hash);
    if (known !== undefined) return known;
    const text = storedText(readable, hash);
    if (text === undefined) return undefined;
    if (texts.size > mostTexts) texts.clear();
    texts.set(hash, text);
    return text;
  };
}

/** True when a text could not be read because it is damaged, or the store failed: not the caller's fault. */
export function isUnreadable(thrown: unknown): thrown is CadreError {
  return thrown instanceof CadreError && typeof thrown.details['unreadable'] === 'string';
}

function readText(journal: Journal, hash: ContentHash): string | undefined {
  try {
    return journal.content(hash);
  } catch (thrown) {
    if (!(thrown instanceof CadreError))
      throw new CadreError('STORE_FAILED', `${journal.location}: text ${hash} could not be read: ${describeThrown(thrown)}`, {
        cause: thrown,
        details: { unreadable: hash },
      });
    throw new CadreError(thrown.code, thrown.message, { cause: thrown, details: { ...thrown.details, unreadable: hash } });
  }
}
