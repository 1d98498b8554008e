/** A text of selected characters of another one: `at[i]` is the original offset of its character `i`. */
export interface LooseText {
  readonly text: string;
  readonly at: Uint32Array;
}

/** Ranges of a text, as start and end offsets, in order. */
export type Ranges = readonly (readonly [number, number])[];

/** Number of code units of a separator, by its first one: white space and invisible characters. */
export const separatorLength: Uint8Array = new Uint8Array(0x10000);
for (const [from, to] of [
  [0, 0x20],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
] as const)
  separatorLength.fill(1, from, to + 1);
/** First half of tags and of further variation selectors. */
separatorLength[0xdb40] = 2;

/** Colours and other terminal commands: `ESC [ … m`, `ESC ] … BEL`. */
const command = '(?:\\u001b\\[|\\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]|\\u001b\\][^\\u0007\\u001b]{0,2000}(?:\\u0007|\\u001b\\\\)';
/** The same, and invisible characters, as escaped in JSON and source code. */
const spelledCommand = '\\\\(?:(?:u001[bB]|x1[bB]|033|e)\\[[0-9;?]{0,64}[A-Za-z]|u00[aA][dD]|u200[b-fB-F]|u[fF][eE][fF]{2})';
/** A line break as escaped in JSON, and one that a shell skips. */
const lineBreak = '\\\\(?:[nr]|\\r?\\n)';

const dropped = new RegExp(`${command}|${spelledCommand}|(${lineBreak})`, 'g');

/** Beginning of such a command at the end of an incomplete text. */
const openCommand = new RegExp(
  [
    '(?:\\u001b(?:\\[[0-?]{0,64}[ -/]{0,8}|\\][^\\u0007\\u001b]{0,2000}\\u001b?)?',
    '\\u009b[0-?]{0,64}[ -/]{0,8}',
    '\\\\(?:[ux][0-9a-fA-F]{0,3}|03{0,2}|(?:u001[bB]|x1[bB]|033|e)(?:\\[[0-9;?]{0,64})?|\\r)?)$',
  ].join('|'),
);
// oxlint-disable-next-line no-control-regex -- commands to a terminal begin with one
const mayHoldCommand = new RegExp('[\\u001b\\u009b\\\\]');

/**
 * Returns a text without terminal commands, with escaped line breaks as real ones; undefined when it holds neither. Takes time
 * in proportion to the text.
 */
export function withoutCommands(text: string): LooseText | undefined {
  if (!mayHoldCommand.test(text)) return undefined;
  const kept = new Picked(text.length);
  let from = 0;
  for (const match of text.matchAll(dropped)) {
    kept.add(text, from, match.index);
    if (match[1] !== undefined) kept.addOne(newline, match.index);
    from = match.index + match[0].length;
  }
  if (from === 0) return undefined;
  kept.add(text, from, text.length);
  return kept.toLooseText();
}

/** Returns a text without an incomplete command at its end. */
export function withoutOpenCommand(text: string): string {
  return text.replace(openCommand, '');
}

/** Returns a text without separators and the given ranges: a folded or spaced out word becomes one word. */
export function toLooseText(text: string, without: Ranges = []): LooseText {
  const kept = new Picked(text.length);
  let from = 0;
  for (const [begin, end] of [...without, [text.length, text.length] as const]) {
    kept.addWords(text, from, begin);
    from = end;
  }
  return kept.toLooseText();
}

const newline = 10;

/** Collects characters with their offsets. */
class Picked {
  readonly #codes: Uint16Array;
  readonly #at: Uint32Array;
  #length = 0;

  constructor(most: number) {
    this.#codes = new Uint16Array(most);
    this.#at = new Uint32Array(most);
  }

  addOne(code: number, at: number): void {
    this.#codes[this.#length] = code;
    this.#at[this.#length] = at;
    this.#length += 1;
  }

  add(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.addOne(text.charCodeAt(at), at);
  }

  addWords(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      const skipped = separatorLength[code] ?? 0;
      if (skipped === 0) this.addOne(code, at);
      else at += skipped - 1;
    }
  }

  toLooseText(): LooseText {
    return { text: toText(this.#codes.subarray(0, this.#length)), at: this.#at.subarray(0, this.#length) };
  }
}

const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Returns code units as a text of the same length; half of a surrogate pair becomes U+FFFD. */
export function toText(units: Uint16Array): string {
  if (isLittleEndian) return utf16.decode(units);
  return Array.from(units, (unit) => String.fromCharCode(unit)).join('');
}
