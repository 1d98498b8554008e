import { CadreError, describeThrown } from '../../core/error.ts';
import type { ContentHash } from '../../core/ids.ts';
import { type Journal, storedText } from '../../core/events/journal.ts';

/** Most texts that are remembered; then all are forgotten, and read again when they are asked for. */
const mostTexts = 2_000;

/** Reads the texts of a journal's content store, and remembers them. Fails with what `isUnreadable` knows when the store cannot read one. */
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

/** True when a text was not read because it is damaged in the store, or the store failed: no fault of what wanted it. */
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
