import { Decoded, gap, type Decoding } from './decoded.ts';

/** Characters kept beside a decoded place; a longer secret without another escape in it is found in the original text. */
const kept = 2_048;

/** Byte written as an escape of source code, a shell or a URL; neighbours form a character of UTF-8 together. */
const byte = '\\\\x([\\da-fA-F]{1,2})|\\\\([0-7]{1,3})|%([\\da-fA-F]{2})';
const unit = '\\\\u\\{([\\da-fA-F]{1,6})\\}|\\\\u([\\da-fA-F]{4})';
const entity = '&#[xX]0{0,8}([\\da-fA-F]{1,6});?|&#0{0,8}(\\d{1,7});?|&([A-Za-z]{2,8});?';

/** Escapes of source code, JSON, shells (`'\''` and `'"'"'` stand for a quotation mark), URLs and HTML. */
const quote = `'(?:\\\\'|"')'`;
const escapes = new RegExp(`${quote}|${byte}|${unit}|${entity}|\\\\(\\r?\\n|[^])`, 'g');
const mayHoldEscape = /['\\%&]/;
/** The same kinds one by one, for a text in which only one of them is an encoding and the other is part of the secret. */
const escapesOfOneKind = [
  new RegExp(quote, 'g'),
  new RegExp(byte, 'g'),
  new RegExp(entity, 'g'),
  new RegExp(`${unit}|\\\\(\\r?\\n|[^])`, 'g'),
];

/** Quoted-printable (RFC 2045): bytes, and line breaks that are not part of the text. */
const quotedPrintable = /=([\dA-Fa-f]{2})|=[ \t]{0,8}\r?\n/g;
/**
 * The same behind a name with "=": in `KEY=ad=2D9f` the value begins with "ad". The first "=" of a word is no escape, nor one right behind it;
 * a line break that is not part of the text ends no word.
 */
const quotedPrintableValue = /(?<==(?:\r?\n)?[^\s=&;?,"']{1,200}|=\r?\n)=([\dA-Fa-f]{2})|=[ \t]{0,8}\r?\n/g;

/** The last character of UTF-8 in escaped bytes, complete or not. */
const openBytes =
  '(?:(?:%|=|\\\\x)[c-fC-F][\\da-fA-F](?:(?:%|=|\\\\x)[89abAB][\\da-fA-F]){0,3}|\\\\3[0-7]{2}(?:\\\\2[0-7]{2}){0,3})?';
/** Beginning of an escape at the end of an incomplete text. */
const openEscape = new RegExp(
  `${openBytes}(?:\\\\(?:u\\{?[\\da-fA-F]{0,6}|x[\\da-fA-F]?|[0-7]{1,2}|\\r)?|%[\\da-fA-F]?|&(?:#[xX]?[\\da-fA-F]{0,14}|[A-Za-z]{0,8})|` +
    `=(?:[\\dA-Fa-f]|[ \\t]{0,8}\\r?)?|'(?:\\\\'?|"(?:'"?)?))?$`,
);

/** Returns the offset of an incomplete escape at the end of a text; its length when there is none. */
export function beginOfOpenEscape(text: string): number {
  const from = Math.max(0, text.length - 40);
  return from + text.slice(from).search(openEscape);
}

/** Longest text whose kinds of escapes are read one by one, too. */
const longestByKind = 8_192;

/**
 * Returns the texts that a text encodes as one layer of escapes: of source code, shells, JSON, URLs and HTML together, each of these kinds
 * alone if it is short, and quoted-printable. A text without escapes yields none. Takes time in proportion to the
 * text.
 */
export function decodeEscapes(text: string): readonly Decoding[] {
  const decoded: (Decoding | undefined)[] = [];
  if (mayHoldEscape.test(text)) {
    decoded.push(replaceAll(text, escapes));
    if (text.length <= longestByKind) decoded.push(...escapesOfOneKind.map((pattern) => replaceAll(text, pattern)));
  }
  if (text.includes('=')) decoded.push(replaceAll(text, quotedPrintable), replaceAll(text, quotedPrintableValue));
  const found = decoded.filter((one) => one !== undefined);
  return found.filter((one, index) => found.findIndex(({ text: other }) => other === one.text) === index);
}

/** Replaces what a pattern finds; keeps the text near it. Undefined when nothing is found. */
function replaceAll(text: string, pattern: RegExp): Decoding | undefined {
  let decoded: Decoded | undefined;
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, ...groups] = match;
    const value = valueOf(whole, groups);
    if (value === undefined) continue;
    const { index } = match;
    // Left-out text is longer than its mark.
    decoded ??= new Decoded(text.length + 2);
    copyNear(decoded, text, from, index);
    from = index + whole.length;
    if (value.isByte) decoded.addByte(value.code, index, from);
    else for (const code of codesOf(value.code)) decoded.add(code, index, from);
  }
  if (decoded === undefined) return undefined;
  decoded.addText(text, from, Math.min(text.length, from + kept));
  return decoded.toDecoding();
}

/** Copies the text between two decoded places; of a long one, its two ends. */
function copyNear(decoded: Decoded, text: string, from: number, to: number): void {
  const isFirst = from === 0;
  const room = isFirst ? kept : 2 * kept;
  if (to - from <= room) return decoded.addText(text, from, to);
  if (!isFirst) decoded.addText(text, from, from + kept);
  decoded.add(gap, to - kept - 1, to - kept);
  decoded.addText(text, to - kept, to);
}

interface Value {
  /** Byte or code point; -1 for nothing. */
  readonly code: number;
  readonly isByte: boolean;
}

const nothing: Value = { code: -1, isByte: false };

function codesOf(code: number): readonly number[] {
  if (code === -1) return [];
  if (code < 0x1_0000) return [code];
  return [0xd800 + ((code - 0x1_0000) >> 10), 0xdc00 + ((code - 0x1_0000) & 0x3ff)];
}

/** Returns the value of an escape; undefined when it is none, such as an unknown name. */
function valueOf(whole: string, groups: readonly (string | undefined)[]): Value | undefined {
  const first = whole[0];
  if (first === "'") return { code: 0x27, isByte: false };
  const body = groups.find((group) => group !== undefined);
  if (first === '=') return body === undefined ? nothing : { code: Number.parseInt(body, 16), isByte: true };
  if (body === undefined) return undefined;
  if (first === '%') return { code: Number.parseInt(body, 16), isByte: true };
  if (first === '&') return entityOf(whole, body);
  const kind = whole[1] ?? '';
  if (kind === 'x' && body !== 'x') return { code: Number.parseInt(body, 16), isByte: true };
  if (kind === 'u' && body !== 'u') return pointOf(Number.parseInt(body, 16));
  if (/[0-7]/.test(kind)) return { code: Number.parseInt(body, 8) & 0xff, isByte: true };
  if (body.endsWith('\n')) return nothing;
  return { code: controls[kind] ?? body.charCodeAt(0), isByte: false };
}

function entityOf(whole: string, body: string): Value | undefined {
  if (whole[1] !== '#') {
    const code = names[body] ?? names[body.toLowerCase()];
    return code === undefined ? undefined : { code, isByte: false };
  }
  return pointOf(Number.parseInt(body, /^&#x/i.test(whole) ? 16 : 10));
}

function pointOf(code: number): Value | undefined {
  return code > 0x10_ffff ? undefined : { code, isByte: false };
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: 27, E: 27 };

/** Names of marks in HTML, as far as secrets hold them. */
const names: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'amp& lt< gt> quot" apos\' nbsp\u00a0 excl! num# dollar$ percnt% lpar( rpar) ast* midast* plus+ comma, period. sol/ colon: semi; equals= ' +
    'quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace} hyphen\u2010 dash\u2010'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, -1), entry.charCodeAt(entry.length - 1)]),
);
