import type { FormatOptions } from '../../inspect/format/text-style.ts';
import type { ExitCode } from '../exit-code.ts';
import { openRecordedRun, type RecordedRun } from './recorded-run.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { jsonText } from '../terminal/json-text.ts';

/** Options that all reading commands take. */
export interface ReadingOptions {
  readonly store?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  /** Show texts whole instead of their first lines. */
  readonly full?: boolean;
}

/** What a reading command shows: the data for `--json`, and the words for people, built only when they are asked for. */
export interface Shown {
  readonly data: unknown;
  readonly text: (format: FormatOptions) => string;
  /** 1 when what was asked for is not there. */
  readonly code?: ExitCode;
}

/** Prints a view as JSON or as text. */
export function show(shown: Shown, options: ReadingOptions): ExitCode {
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText(shown.data, 2)}\n`);
  else terminal.print(shown.text({ style: terminal.outStyle, full: options.full ?? false }));
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
