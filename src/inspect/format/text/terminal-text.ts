/** Limits for shown text. */
export interface TerminalTextOptions {
  /** Longest line in characters; 400 when absent. */
  readonly maxLine?: number;
  /** Most lines; 200 when absent. */
  readonly maxLines?: number;
}

/**
 * Control, format (bidi), lone surrogate and invisible characters (fillers, joiners, variation selectors), the Unicode line separators, and
 * signs without ink that are no spaces.
 */
export const unseenCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800\ufffc\u{1d159}]/gu;

/** The codes that styles are made of, and the characters above. */
const styleOrUnseen = new RegExp(`\\u001b\\[\\d{1,2}m|${unseenCharacters.source}`, 'gu');

const joiner = /[\p{Join_Control}\p{Variation_Selector}]/u;
/** Matches where a following joiner or variation selector has no visible effect, so that two words which look the same could differ. */
const unjoined = /(?:^|[\p{Script=Latin}\p{DI}\s!-~])(?<!\ufe0f)$/u;

/** True when a character is a joiner or variation selector that the preceding letter of another script or emoji needs. */
export function isNeededJoiner(character: string, at: number, text: string): boolean {
  if (!joiner.test(character)) return false;
  return text.startsWith('\u20e3', at + 1) || !unjoined.test(text.slice(Math.max(0, at - 2), at));
}

/**
 * Makes untrusted text safe to print: shows control characters (ANSI escapes), bidirectional and invisible characters as `\x1b` or
 * `\u202e`, and tabs as two spaces; cuts long lines and long texts with a marker that gives the missing amount. Line feeds stay.
 */
export function toTerminalText(text: string, options: TerminalTextOptions = {}): string {
  const { maxLine = 400, maxLines = 200 } = options;
  const lines = splitLines(text, maxLines);
  const shown = lines.shown.map((line) => toLine(line, maxLine)).join('\n');
  return lines.left === 0 ? shown : `${shown}\n… (+${grouped(lines.left)} ${lines.left === 1 ? 'line' : 'lines'})`;
}

/** Makes untrusted text safe as one line: line feeds are shown as `⏎`, a cut as `…`. */
export function toTerminalLine(text: string, maxLine = 160): string {
  const shown = wholeStart(text, maxLine);
  const line = escaped(shown.replace(/(?<![ \t])[ \t]*\r?\n\s*/gu, ' ⏎ '));
  return shown.length < text.length ? `${line}…` : line;
}

/**
 * Makes an assembled line safe: shows unsafe characters that slipped in, such as those of a status in a foreign journal, in escaped
 * form. Keeps style codes only.
 */
export function toStyledLine(line: string): string {
  return line.replace(styleOrUnseen, (found, at: number) => (found.length > 2 ? found : shownCharacter(found, at, line)));
}

/** A whole number with commas between groups of three digits. */
export function grouped(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/gu, ',');
}

function splitLines(text: string, maxLines: number): { readonly shown: readonly string[]; readonly left: number } {
  const shown: string[] = [];
  let at = 0;
  while (shown.length < maxLines) {
    const end = text.indexOf('\n', at);
    if (end < 0) {
      shown.push(text.slice(at));
      return { shown, left: 0 };
    }
    shown.push(text.charAt(end - 1) === '\r' && end > at ? text.slice(at, end - 1) : text.slice(at, end));
    at = end + 1;
  }
  let left = 1;
  for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', end + 1)) left++;
  return { shown, left };
}

function toLine(line: string, maxLine: number): string {
  const shown = wholeStart(line, maxLine);
  return shown.length === line.length ? escaped(line) : `${escaped(shown)}… (+${grouped(line.length - shown.length)} characters)`;
}

/** Returns the start of a text without splitting a surrogate pair. */
function wholeStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function escaped(text: string): string {
  return text.replace(unseenCharacters, (character, at: number) => shownCharacter(character, at, text));
}

function shownCharacter(character: string, at: number, text: string): string {
  if (isNeededJoiner(character, at, text)) return character;
  if (character === '\t') return '  ';
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}
