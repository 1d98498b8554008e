import { toLooseText, withoutCommands, withoutOpenCommand, type LooseText, type Ranges } from './loose-text.ts';

/** One way to read a text in search of words with separators in them. */
export interface Reading extends LooseText {
  /** Only the bytes of a dump: the text beside them spells what they are. */
  readonly isDump: boolean;
}

/** Begin of a line besides its text: a number, a place, an offset of a dump, marks of quotes, comments and diffs. */
const gutter =
  /^[ \t]*(?:\d{1,9}(?:[:|.)\]→]|(?=[ \t]))|(?:0x)?[0-9a-fA-F]{4,16}(?::|(?=[ \t]))|[^\s:]{1,255}:\d{1,9}[:-]|\/\/|[>|#*+-]{1,4})[ \t]?/gm;
/** One mark alone: what follows may belong to the text. */
const oneMark = /^[ \t]*[>|#*+-]/gm;

/** Offset of a line of a dump, with the colon of `xxd`, and the rest of the line. */
const dumpLine = /^[ \t]*(?:0x)?[0-9a-fA-F]{4,16}(:?)[ \t]+(?=[0-9a-fA-F])([^\n]*)/gm;

/** Bytes of a dump, in groups of one length; the last may be shorter. */
const bytesOnly = /^[0-9a-fA-F \t]+$/;

/**
 * The ways a text is read: as it is, without what lines begin with, and as a dump of bytes; each with commands to a terminal and without.
 * Those of a text that is not `wanted` are left out. Of a text that begins within a line, that line has no begin to leave out. Takes time in
 * proportion to the text.
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

/** What is no byte in the lines of a dump: offsets, and what is shown beside the bytes. */
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

/** How much of the rest of a line is bytes: up to the text beside them in `|…|` or `>…<`, behind two spaces, or of another length. */
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

/** A line that has only begun and may turn out to begin with something to leave out, or to be of a dump. */
const openGutter = /^[ \t]*(?:[>|#*+/-]{0,4}|[^\s:]{0,255}(?::\d{0,9})?|\d{1,9}[:|.)\]→]?[ \t]?)$/;
const openDump = /^[ \t]*(?:0x?)?(?:[0-9a-fA-F]{0,16}|[0-9a-fA-F]{4,16}:?[ \t]*(?:[ \t][0-9a-fA-F][^\n]*)?)$/;
const longestOpen = 400;

/**
 * Begin of the last line of a text that goes on, when that line may be one of a dump: what it says is known when it is whole. The length of
 * the text when not.
 */
export function beginOfOpenDump(text: string, beginsLine: boolean): number {
  const begin = text.lastIndexOf('\n') + 1;
  const isKnown = begin > 0 || beginsLine;
  return isKnown && text.length - begin < longestOpen && openDump.test(text.slice(begin)) ? begin : text.length;
}

/** The same ways for a text that goes on: also without a line, or a command, that has only begun. */
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
