import { toLooseText, withoutCommands, withoutOpenCommand, type LooseText, type Ranges } from './loose-text.ts';

/** A reading of a text, for finding words with separators in them. */
export interface Reading extends LooseText {
  /** True when it contains only the bytes of a dump, without the text beside them. */
  readonly isDump: boolean;
}

/** Prefix of a line before its text: a number, a place, an offset of a dump, marks of quotes, comments and diffs. */
const gutter =
  /^[ \t]*(?:\d{1,9}(?:[:|.)\]→]|(?=[ \t]))|(?:0x)?[0-9a-fA-F]{4,16}(?::|(?=[ \t]))|[^\s:]{1,255}:\d{1,9}[:-]|\/\/|[>|#*+-]{1,4})[ \t]?/gm;
/** A single mark: the rest of the prefix may belong to the text. */
const oneMark = /^[ \t]*[>|#*+-]/gm;

/** Offset of a line of a dump, with the colon of `xxd`, and the rest of the line. */
const dumpLine = /^[ \t]*(?:0x)?[0-9a-fA-F]{4,16}(:?)[ \t]+(?=[0-9a-fA-F])([^\n]*)/gm;

/** Bytes of a dump, in groups of one length; the last may be shorter. */
const bytesOnly = /^[0-9a-fA-F \t]+$/;

/**
 * Returns the readings of a text: as it is, without line prefixes, and as a dump of bytes; each with terminal commands and
 * without. Skips readings that are not `wanted`. `beginsLine`: the text starts at the beginning of a line, so its first line
 * may have a prefix. Takes time in proportion to the text.
 */
export function looseReadings(
  text: string,
  beginsLine: boolean,
  wanted: (text: string) => boolean = () => true,
): readonly Reading[] {
  const readings = readingsOf(text, beginsLine, wanted);
  const bare = withoutCommands(text);
  if (bare === undefined) return readings;
  const inner = readingsOf(bare.text, beginsLine, wanted);
  return [...readings, ...inner.map((reading) => ({ ...reading, at: reading.at.map((at) => bare.at[at] ?? 0) }))];
}

function readingsOf(text: string, beginsLine: boolean, wanted: (text: string) => boolean): readonly Reading[] {
  const plain = wanted(text) ? [{ ...toLooseText(text), isDump: false }] : [];
  const firstBreak = text.indexOf('\n');
  if (firstBreak === -1) return plain;
  const lines = [asidesOf(text), guttersOf(text, gutter), guttersOf(text, oneMark)].flatMap((found, index) => {
    const ranges = beginsLine ? found : found.filter(([from]) => from > firstBreak);
    return ranges.length === 0 ? [] : [{ ...toLooseText(text, ranges), isDump: index === 0 }];
  });
  return [...plain, ...lines.filter((reading) => wanted(reading.text))];
}

function guttersOf(text: string, begin: RegExp): Ranges {
  return [...text.matchAll(begin)].map((match) => [match.index, match.index + match[0].length] as const);
}

/** Returns the parts of a dump's lines that are not bytes: offsets, and the text beside the bytes. */
function asidesOf(text: string): Ranges {
  return [...text.matchAll(dumpLine)].flatMap((match) => {
    const [line, colon, rest = ''] = match;
    const begin = match.index;
    const end = begin + line.length;
    const bytes = end - rest.length;
    const length = lengthOfBytes(rest, colon === ':');
    return length === 0 ? [] : [[begin, bytes] as const, [bytes + length, end] as const].filter(([from, to]) => to > from);
  });
}

/**
 * Returns the length of the bytes in the rest of a line: up to the text beside them in `|…|` or `>…<`, after two spaces, or of
 * another length.
 */
function lengthOfBytes(rest: string, isXxd: boolean): number {
  const ends = [rest.search(/[ \t]{1,3}\|/), rest.search(/[ \t]{2}>/), isXxd ? rest.indexOf('  ') : -1].filter((end) => end > 0);
  const before = ends.length === 0 ? rest : rest.slice(0, Math.min(...ends));
  if (ends.length > 0 && bytesOnly.test(before)) return before.length;
  let length = 0;
  let width: number | undefined;
  for (const { 0: group, index } of before.matchAll(/[^ \t]+/g)) {
    width ??= group.length;
    if (!/^[0-9a-fA-F]+$/.test(group) || (group.length !== width && !/^\d{1,10}$/.test(group))) break;
    length = index + group.length;
  }
  return length;
}

/** An incomplete line that may turn out to start with a prefix, or to be of a dump. */
const openGutter = /^[ \t]*(?:[>|#*+/-]{0,4}|[^\s:]{0,255}(?::\d{0,9})?|\d{1,9}[:|.)\]→]?[ \t]?)$/;
const openDump = /^[ \t]*(?:0x?)?(?:[0-9a-fA-F]{0,16}|[0-9a-fA-F]{4,16}:?[ \t]*(?:[ \t][0-9a-fA-F][^\n]*)?)$/;
const longestOpen = 400;

/**
 * Returns the offset of an incomplete last line that may be one of a dump, which can only be read when complete; otherwise the
 * length of the text.
 */
export function beginOfOpenDump(text: string, beginsLine: boolean): number {
  const begin = text.lastIndexOf('\n') + 1;
  const isKnown = begin > 0 || beginsLine;
  return isKnown && text.length - begin < longestOpen && openDump.test(text.slice(begin)) ? begin : text.length;
}

/** Returns the readings of an incomplete text, also those without an incomplete last line or terminal command. */
export function openReadings(text: string, beginsLine: boolean): readonly Reading[] {
  const starts = [text, withoutOpenCommand(text)].flatMap((read) => {
    const begin = read.lastIndexOf('\n') + 1;
    const isOpen =
      begin > 0 &&
      read.length - begin < longestOpen &&
      (openGutter.test(read.slice(begin)) || beginOfOpenDump(read, true) === begin);
    return isOpen ? [read, read.slice(0, begin)] : [read];
  });
  return [...new Set(starts)].flatMap((read) => looseReadings(read, beginsLine));
}
