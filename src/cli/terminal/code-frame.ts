import { readFileSync } from 'node:fs';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';

const maxColumns = 160;

/**
 * Renders the source line of a diagnostic with a caret below the column; undefined when the file is unreadable or has no such line.
 *
 * @param file a path that can be opened; `line` and `column` start at 1
 */
export function codeFrame(file: string, { line, column }: { readonly line: number; readonly column: number }): string | undefined {
  let text: string | undefined;
  try {
    text = readFileSync(file, 'utf8').split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
  if (text === undefined || text.trim() === '') return undefined;
  const before = toTerminalLine(text.slice(0, column - 1).replaceAll('\t', ' '), 100_000);
  const shown = toTerminalLine(text.replaceAll('\t', ' '), maxColumns);
  const number = String(line);
  const mark = before.length < maxColumns ? `\n  ${' '.repeat(number.length)} | ${' '.repeat(before.length)}^` : '';
  return `  ${number} | ${shown}${mark}`;
}
