import { CadreError } from '../../core/error.ts';

/** Change to the text of a file. Line numbers are 1-based and inclusive. */
export type TextEdit =
  | { readonly command: 'str_replace'; readonly oldStr: string; readonly newStr: string }
  /** After this line: 0 puts it at the start, -1 at the end. */
  | { readonly command: 'insert'; readonly line: number; readonly text: string }
  | { readonly command: 'replace_lines'; readonly from: number; readonly to: number; readonly text: string }
  | { readonly command: 'remove_lines'; readonly from: number; readonly to: number };

/**
 * Returns the text after an edit. Inserted text gets the line breaks of the file; a byte order mark stays.
 *
 * @throws CadreError `TOOL_FAILED` when the text to replace is missing or not unique (with its line numbers), or the lines do not exist
 */
export function editText(text: string, edit: TextEdit): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const breaks = usesCrLf(text) ? '\r\n' : '\n';
  const body = text.slice(bom.length);
  const after =
    edit.command === 'str_replace'
      ? replaceOnce(body, withBreaks(edit.oldStr, breaks), withBreaks(edit.newStr, breaks))
      : editLines(body, edit, breaks);
  return bom + after;
}

function usesCrLf(text: string): boolean {
  const first = text.indexOf('\n');
  return first > 0 && text.charAt(first - 1) === '\r';
}

function withBreaks(text: string, breaks: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  return breaks === '\n' ? plain : plain.replaceAll('\n', breaks);
}

function replaceOnce(text: string, oldStr: string, newStr: string): string {
  if (oldStr === '') throw failed('old_str is empty. Give the text to replace, or use command "insert".');
  const at = text.indexOf(oldStr);
  if (at === -1) throw failed(`old_str is not in the file, exactly as given. ${nearest(text, oldStr)}Nothing was changed.`);
  if (text.indexOf(oldStr, at + 1) !== -1) {
    const lines = linesOf(text, oldStr);
    const shown = lines.slice(0, 20).join(', ') + (lines.length > 20 ? ', …' : '');
    throw failed(
      `old_str is in the file ${lines.length} times, beginning on lines ${shown}. Give more of the text around it, so that it is unique. Nothing was changed.`,
    );
  }
  return text.slice(0, at) + newStr + text.slice(at + oldStr.length);
}

/** Hints at a line that equals the first line of the text but for spaces at its ends, the most common mistake of models. */
function nearest(text: string, oldStr: string): string {
  const wanted = oldStr
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  if (wanted === undefined) return '';
  const line = text.split('\n').findIndex((candidate) => candidate.trim() === wanted);
  return line === -1 ? '' : `A line like its first one is line ${line + 1}; compare spaces and line breaks there. `;
}

function linesOf(text: string, wanted: string): readonly number[] {
  const lines: number[] = [];
  let [line, counted] = [1, 0];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    for (; counted < at; counted += 1) if (text.charCodeAt(counted) === 10) line += 1;
    lines.push(line);
  }
  return lines;
}

function editLines(text: string, edit: Exclude<TextEdit, { readonly command: 'str_replace' }>, breaks: string): string {
  const endsOpen = text !== '' && !text.endsWith('\n');
  const lines = text.split('\n');
  if (!endsOpen) lines.pop();
  const added = 'text' in edit ? toLines(edit.text, breaks) : [];
  const [start, count] = edit.command === 'insert' ? [insertionPoint(edit.line, lines.length), 0] : range(edit, lines.length);
  // A last line without a break gets one when something follows it.
  const cr = breaks === '\r\n' ? '\r' : '';
  const before = lines.map((line, index) => (endsOpen && index === lines.length - 1 ? line + cr : line));
  const after = [...before.slice(0, start), ...added, ...before.slice(start + count)];
  if (after.length === 0) return '';
  const keepsOpenEnd = endsOpen && start + count < lines.length;
  const joined = after.join('\n');
  return keepsOpenEnd ? joined.slice(0, joined.length - cr.length) : `${joined}\n`;
}

function toLines(text: string, breaks: string): readonly string[] {
  const lines = withBreaks(text, breaks).split('\n');
  const cr = breaks === '\r\n' ? '\r' : '';
  // One line break at the end belongs to the last line.
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  else if (cr !== '') lines.push(`${lines.pop() ?? ''}${cr}`);
  return lines;
}

function insertionPoint(line: number, total: number): number {
  if (line === -1) return total;
  if (line < 0 || line > total)
    throw failed(`insert_line is ${line}; it must be 0 (start) to ${total}, or -1 (end). Nothing was changed.`);
  return line;
}

function range({ from, to }: { readonly from: number; readonly to: number }, total: number): readonly [number, number] {
  if (from < 1 || to < from || to > total)
    throw failed(`lines ${from} to ${to} were asked for; the file has lines 1 to ${total}. Nothing was changed.`);
  return [from - 1, to - from + 1];
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}
