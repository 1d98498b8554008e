import type { ExitCode } from '../exit-code.ts';
import { openRecordedRun } from '../recorded-run.ts';
import type { ReadingOptions } from '../show.ts';
import { openTerminal } from '../terminal.ts';

/** Prints the events of a run as JSON lines, those above `--after` only. */
export async function eventsCommand(reference: string, options: ReadingOptions & { readonly after?: number }): Promise<ExitCode> {
  using run = await openRecordedRun(options.store, reference);
  const terminal = openTerminal(options);
  for (const event of run.events) if (event.seq > (options.after ?? 0)) terminal.print(`${JSON.stringify(event)}\n`);
  return 0;
}
