import type { FormatOptions } from '../../inspect/format/text/text-style.ts';
import type { ExitCode } from '../exit-code.ts';
import { openRecordedRun, type RecordedRun } from './recorded-run.ts';
import { wrapLines } from '../../inspect/format/text/wrap-line.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { jsonText } from '../terminal/json-text.ts';

/** Options of all reading commands. */
export interface ReadingOptions {
  readonly store?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  /** Shows texts in full instead of their first lines. */
  readonly full?: boolean;
  /** Shows messages without rendering Markdown. */
  readonly raw?: boolean;
}

/** Output of a reading command: data for `--json`, and text for people, rendered on demand. */
export interface Shown {
  readonly data: unknown;
  readonly text: (format: FormatOptions) => string;
  /** 1 when nothing was found. */
  readonly code?: ExitCode;
}

/** Prints a view as JSON or as text. */
export function show(shown: Shown, options: ReadingOptions): ExitCode {
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText(shown.data, 2)}\n`);
  else {
    const { outStyle: style, outWidth: width, isOutTerminal } = terminal;
    const text = shown.text({ style, width, full: options.full ?? false, markdown: isOutTerminal && options.raw !== true });
    terminal.print(width === undefined ? text : wrapLines(text, width));
  }
  return shown.code ?? 0;
}

/** Opens a recorded run, shows one view of it, and closes the journal. */
export async function showRun(
  reference: string,
  options: ReadingOptions,
  view: (run: RecordedRun) => Shown | Promise<Shown>,
): Promise<ExitCode> {
  using run = await openRecordedRun(options.store, reference);
  return show(await view(run), options);
}
