import { separatorLength } from './loose-text.ts';

/** A fast test: false when a text surely holds none of some words, with separators or without. */
export type SecretFilter = (text: string) => boolean;

/** Number of characters that identify a word at first, and of further ones that must follow. */
const keyLength = 4;
const restLength = 4;

/**
 * Compiles a filter for words without separators (see `toLooseText`). It scans a text once without copying it, so that a text
 * without secrets costs no more than a search for one word.
 */
export function compileSecretFilter(words: readonly string[]): SecretFilter {
  if (words.some((word) => word.length < keyLength)) return () => true;
  const rests = new Map<string, Set<string>>();
  const hashes = new Uint8Array(0x10000);
  for (const word of words) {
    const key = word.slice(0, keyLength);
    const known = rests.get(key) ?? new Set();
    rests.set(key, known.add(word.slice(keyLength, keyLength + restLength)));
    let hash = 0;
    for (let at = 0; at < keyLength; at += 1) hash = hashed(hash, key.charCodeAt(at));
    hashes[hash] = 1;
  }
  return (text) => holdsOne(text, hashes, rests);
}

/** The loop that every text goes through; it allocates nothing. */
function holdsOne(text: string, hashes: Uint8Array, rests: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  let hash = 0;
  let first = 0;
  let second = 0;
  let third = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const skipped = separatorLength[code] ?? 0;
    if (skipped > 0) {
      at += skipped - 1;
      continue;
    }
    hash = hashed(hash, code);
    if (hashes[hash] === 1 && isFollowed(rests.get(String.fromCharCode(first, second, third, code)), text, at + 1)) return true;
    first = second;
    second = third;
    third = code;
  }
  return false;
}

/** Hashes the last four characters. */
function hashed(hash: number, code: number): number {
  return ((hash << 4) ^ code) & 0xffff;
}

function isFollowed(found: ReadonlySet<string> | undefined, text: string, from: number): boolean {
  return found !== undefined && [...found].some((rest) => follows(rest, text, from));
}

function follows(rest: string, text: string, from: number): boolean {
  let at = from;
  for (let matched = 0; matched < rest.length; at += 1) {
    if (at >= text.length) return false;
    const code = text.charCodeAt(at);
    const skipped = separatorLength[code] ?? 0;
    if (skipped > 0) at += skipped - 1;
    else if (code === rest.charCodeAt(matched)) matched += 1;
    else return false;
  }
  return true;
}
