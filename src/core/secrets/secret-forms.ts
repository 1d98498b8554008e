import { toLooseText, withoutCommands, separatorLength } from './loose-text.ts';

/** Shortest base64 core of a longer text; shorter ones would match ordinary text. */
const shortestCore = 8;

/** Shortest encoded text that is searched for encoded again. */
const shortestTwice = 12;

/** Shortest line of a secret of several lines (a private key) that counts as a secret itself. */
const shortestLine = 20;

/**
 * Returns the written forms of a secret: plain, escaped for JSON (also twice, or letter by letter), HTML and URLs, in base64 (also twice)
 * and in hexadecimal, of UTF-8 and of UTF-16.
 */
export function secretForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= shortestLine);
  return [...new Set([secret, ...(lines.length > 1 ? lines : [])].flatMap(formsOf))];
}

/** Shortest secret, in bytes, that is searched for in dumps: shorter ones match many tables of numbers. */
const shortestSpread = 6;
/** Shortest word that is searched for with separators; the second is for one of digits or small letters alone. */
const shortestLoose = 8;
const shortestPlain = 12;

/**
 * Returns the forms of a secret in a text without separators (see `toLooseText`): those of `secretForms`, and its bytes as in
 * dumps and lists.
 */
export function looseForms(secret: string): readonly string[] {
  const bytes = [...new TextEncoder().encode(secret)];
  const words = secretForms(secret).flatMap(withoutSeparators);
  const spread = bytes.length < shortestSpread ? [] : spreadForms(bytes);
  return [...new Set([...words.filter(isRare), ...spread])];
}

/** Returns a form without separators, with terminal commands and without. */
export function withoutSeparators(form: string): readonly string[] {
  return [...new Set([form, withoutCommands(form)?.text ?? form].map((text) => toLooseText(text).text))];
}

/** False for forms that letters with spaces between them match by chance. */
function isRare(form: string): boolean {
  return form.length >= (/^(?:\d+|[a-z]+)$/.test(form) ? shortestPlain : shortestLoose);
}

/**
 * Returns bytes as in lists and dumps: in hexadecimal with marks between them, in binary, octal (`od -b`) and decimal, and in
 * little-endian words of two and four bytes (`hexdump`, `od -x`, `od`, `od -d`, `xxd -e`) at any alignment.
 */
function spreadForms(bytes: readonly number[]): readonly string[] {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const octal = bytes.map((byte) => byte.toString(8).padStart(3, '0'));
  const marked = [':', '-', ','].map((mark) => hex.join(mark));
  const escaped = [hex.map((byte) => `\\x${byte}`).join(''), hex.map((byte) => `%${byte}`).join(''), `0x${hex.join(',0x')}`];
  const words = [0, 1].flatMap((from) => {
    const twos = wordsOf(bytes, from, 2);
    return [
      inHex(twos, 4),
      twos.map((word) => word.toString(8).padStart(6, '0')).join(''),
      ...[0, 5].map((width) => inDecimal(twos, width)),
    ];
  });
  const fours = [0, 1, 2, 3].map((from) => inHex(wordsOf(bytes, from, 4), 8));
  const withLetters = [...marked, ...escaped, ...words, ...fours];
  const upper = withLetters.map((form) => form.replace(/[a-f]/g, (digit) => digit.toUpperCase()));
  const binary = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const decimal = ['', ','].map((mark) => bytes.join(mark));
  return [...withLetters, ...upper, octal.join(''), `\\${octal.join('\\')}`, binary, ...decimal].filter(isRare);
}

/** Returns the whole little-endian words of some bytes from an offset on. */
function wordsOf(bytes: readonly number[], from: number, size: number): readonly number[] {
  const words: number[] = [];
  for (let at = from; at + size <= bytes.length; at += size)
    words.push(bytes.slice(at, at + size).reduceRight((word, byte) => word * 256 + byte, 0));
  return words;
}

function inHex(words: readonly number[], width: number): string {
  return words.map((word) => word.toString(16).padStart(width, '0')).join('');
}

function inDecimal(words: readonly number[], width: number): string {
  return words.map((word) => String(word).padStart(width, '0')).join('');
}

function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  const bytes = new TextEncoder().encode(secret);
  const hex = toHex(bytes);
  const wide = utf16Cores(secret);
  const escapes = secret.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const hexes = [hex, ...wide.map(toHex)].flatMap((text) => [text, text.toUpperCase()]);
  const encoded = [bytes, ...wide].flatMap(base64Forms);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    url.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    secret.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark),
    ...hexes,
    escapes,
    escapes.replace(/[a-f]/g, (digit) => digit.toUpperCase()),
    ...encoded,
    // Twice: at any position in a stream, where the beginning of a longer word is gone.
    ...[...hexes, ...encoded].flatMap((text) => (text.length < shortestTwice ? [] : base64Forms(new TextEncoder().encode(text)))),
  ];
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the bytes of a secret in UTF-16 of both orders, without the zero at an end, so that one covers both if its letters are Latin. */
function utf16Cores(secret: string): readonly Uint8Array[] {
  const units = Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at));
  const little = units.flatMap((unit) => [unit & 0xff, unit >> 8]).slice(0, -1);
  const big = units.flatMap((unit) => [unit >> 8, unit & 0xff]).slice(1);
  const isLatin = units.every((unit) => unit < 0x100);
  return (isLatin ? [little] : [little, big]).map((bytes) => new Uint8Array(bytes));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns base64 of the secret alone, and the part that is the same at any position in a longer text. */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes));
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return core.length < shortestCore && offset > 0 ? [] : [core];
  });
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

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
