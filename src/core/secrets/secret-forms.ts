import { toLooseText, withoutCommands } from './loose-text.ts';

/** Base64 of a part of a longer text: shorter ones would be found where there is no secret. */
const shortestCore = 8;

/** Lines of a secret of several lines (a private key) are secrets themselves from this length on. */
const shortestLine = 20;

/** The forms a secret is written in: as it is, escaped for JSON (also twice, or letter by letter), HTML and URLs, in base64 and in hexadecimal. */
export function secretForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= shortestLine);
  return [...new Set([secret, ...(lines.length > 1 ? lines : [])].flatMap(formsOf))];
}

/** The shortest secret, in bytes, whose bytes are looked for in dumps: fewer stand in many a table of numbers. */
const shortestSpread = 6;
/** A word is looked for with separators in it from this length on, one of digits or small letters alone from the second on. */
const shortestLoose = 8;
const shortestPlain = 12;

/**
 * The forms a secret is looked for when what separates characters is left out of a text (see `toLooseText`): those of `secretForms`, and its
 * bytes as dumps and lists show them.
 */
export function looseForms(secret: string): readonly string[] {
  const bytes = [...new TextEncoder().encode(secret)];
  const words = secretForms(secret).flatMap(withoutSeparators);
  const spread = bytes.length < shortestSpread ? [] : spreadForms(bytes);
  return [...new Set([...words.filter(isRare), ...spread])];
}

/** A form as it is read without separators, with commands to a terminal and without. */
export function withoutSeparators(form: string): readonly string[] {
  return [...new Set([form, withoutCommands(form)?.text ?? form].map((text) => toLooseText(text).text))];
}

/** Letters that stand together by chance, with spaces between them, would be found where there is no secret. */
function isRare(form: string): boolean {
  return form.length >= (/^(?:\d+|[a-z]+)$/.test(form) ? shortestPlain : shortestLoose);
}

/**
 * Bytes in lists and dumps: in hexadecimal with marks between them, in binary, octal (`od -b`) and decimal, and in words of two and four bytes
 * as a machine of today has them in memory (`hexdump`, `od -x`, `od`, `od -d`, `xxd -e`), wherever such a word begins.
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

/** The whole words of some bytes from a place on, least byte first. */
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
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const escapes = secret.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    url.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    secret.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark),
    hex,
    hex.toUpperCase(),
    escapes,
    escapes.replace(/[a-f]/g, (digit) => digit.toUpperCase()),
    ...base64Forms(bytes),
  ];
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Base64 of the secret alone, and what of it is the same inside a longer text, whatever stands around it. */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes));
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return core.length < shortestCore && offset > 0 ? [] : [core];
  });
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
