import type { ScalarNode } from './source-node.ts';

/**
 * Returns the file offset of the character at `index` in a scalar's value, in any style. Walks value and source side by side:
 * equal characters advance both; escapes, folded lines and indentation advance only the source.
 */
export function scalarOffset(node: ScalarNode, index: number): number {
  const { file, start, end } = node.at;
  const value = typeof node.value === 'string' ? node.value : node.written;
  const wanted = Math.min(index, value.length);
  const source = file.text.slice(start, end);
  if (node.variable !== undefined) return start;
  switch (node.style) {
    case 'plain':
      return start + flowOffset(source, noEscape, { from: 0, wanted });
    case 'single':
      return start + flowOffset(source, singleEscape, { from: 1, wanted });
    case 'double':
      return start + flowOffset(source, doubleEscape, { from: 1, wanted });
    case 'literal':
    case 'folded':
      return start + blockOffset(source, value, wanted);
  }
}

/** Lengths of an escape in the source and in the value. */
interface Escape {
  readonly sourceLength: number;
  readonly valueLength: number;
}

/** Longest run of spaces before a line break that is recognised as part of it. */
const maxSpaces = 64;

const noEscape = (): Escape | undefined => undefined;

function singleEscape(source: string, at: number): Escape | undefined {
  return source.startsWith("''", at) ? { sourceLength: 2, valueLength: 1 } : undefined;
}

function doubleEscape(source: string, at: number): Escape | undefined {
  if (source[at] !== '\\') return undefined;
  const kind = source[at + 1] ?? '';
  if (kind === '\n' || kind === '\r') {
    const join = /^\\\r?\n(?:[ \t]*\r?\n)*[ \t]*/.exec(source.slice(at));
    const blankLines = (join?.[0].match(/\n/g)?.length ?? 1) - 1;
    return { sourceLength: join?.[0].length ?? 2, valueLength: blankLines };
  }
  const digits = kind === 'x' ? 2 : kind === 'u' ? 4 : kind === 'U' ? 8 : 0;
  const wide = kind === 'U' && Number.parseInt(source.slice(at + 2, at + 10), 16) > 0xff_ff;
  return { sourceLength: 2 + digits, valueLength: wide ? 2 : 1 };
}

function flowOffset(
  source: string,
  escape: (source: string, at: number) => Escape | undefined,
  { from, wanted }: { readonly from: number; readonly wanted: number },
): number {
  let at = from;
  let index = 0;
  while (index < wanted && at < source.length) {
    const escaped = escape(source, at);
    if (escaped !== undefined) {
      if (escaped.valueLength > 0 && index + escaped.valueLength > wanted) return at;
      at += escaped.sourceLength;
      index += escaped.valueLength;
      continue;
    }
    const fold = foldAt(source, at);
    at = fold.end;
    index += fold.breaks === 0 ? 1 : Math.max(1, fold.breaks - 1);
  }
  // A joined line contributes no character: the wanted one comes after it.
  for (let join = escape(source, at); join?.valueLength === 0; join = escape(source, at)) at += join.sourceLength;
  return Math.min(at, source.length);
}

/** Returns the line fold that begins here, or one character without breaks. Spaces before a break belong to the fold. */
function foldAt(source: string, from: number): { readonly end: number; readonly breaks: number } {
  let at = from;
  let end = from + 1;
  let breaks = 0;
  for (
    let char = source[at];
    char === ' ' || char === '\t' || char === '\n' || (char === '\r' && source[at + 1] === '\n');
    char = source[at]
  ) {
    at += 1;
    if (char === '\n') breaks += 1;
    // Spaces without a following break are text; a long run is rescanned only near its end.
    if (breaks > 0) end = at;
    else if (at - from > maxSpaces) break;
  }
  return { end, breaks };
}

function blockOffset(source: string, value: string, wanted: number): number {
  const headerEnd = source.indexOf('\n') + 1;
  if (headerEnd === 0) return 0;
  const indent = blockIndent(source, headerEnd);
  let at = skipIndent(source, headerEnd, indent);
  for (let index = 0; index < wanted && at < source.length;) {
    if (source[at] === '\r' && source[at + 1] === '\n' && value[index] !== '\r') at += 1;
    if (source[at] !== '\n') {
      at += 1;
      index += 1;
      continue;
    }
    const lines = breakRun(source, at, indent);
    const breaks = newlineRun(value, index);
    // A fold turns one break into a space, and n + 1 breaks into n.
    const produced = breaks === 0 ? 1 : Math.min(breaks, lines.length);
    const used = breaks === 0 ? 1 : breaks < lines.length ? breaks + 1 : lines.length;
    const taken = Math.min(produced, wanted - index);
    at = lines[taken === produced ? used - 1 : taken - 1] ?? source.length;
    index += taken;
  }
  return Math.min(at, source.length);
}

/** Returns the start of each line after a run of line breaks, indentation skipped. */
function breakRun(source: string, from: number, indent: number): readonly number[] {
  const starts: number[] = [];
  let at = from;
  while (source[at] === '\n' || (source[at] === '\r' && source[at + 1] === '\n')) {
    at = skipIndent(source, source.indexOf('\n', at) + 1, indent);
    starts.push(at);
  }
  return starts;
}

function newlineRun(value: string, from: number): number {
  let count = 0;
  while (value[from + count] === '\n') count += 1;
  return count;
}

/** Returns the indentation of a block scalar: that of its first line with text, or of its indicator relative to the parent. */
function blockIndent(source: string, bodyStart: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of source.slice(bodyStart).split('\n')) {
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    // Without an indicator the first line decides; with one, the least indented line is the best evidence.
    if (!/^[|>][+-]?[1-9]/.test(source)) return indent;
    least = Math.min(least, indent);
  }
  return Number.isFinite(least) ? least : 0;
}

function skipIndent(source: string, at: number, indent: number): number {
  let end = at;
  while (end - at < indent && source[end] === ' ') end += 1;
  return end;
}
