import { CadreError } from '../../../core/error.ts';
import type { CadreEvent } from '../../../core/events/event.ts';
import { eventDialects, eventTranslator, isDialect } from '../../../compat/events/event-translator.ts';
import { salvageRun } from '../../../journal/sqlite/salvage-run.ts';
import type { ExitCode } from '../../exit-code.ts';
import { findRunIn } from '../../runs/find-run.ts';
import { openRecordedRun, openRecords } from '../../runs/recorded-run.ts';
import type { ReadingOptions } from '../../runs/show.ts';
import { openTerminal, type Terminal } from '../../terminal/terminal.ts';
import { toTerminalText } from '../../../inspect/format/text/terminal-text.ts';
import { jsonText } from '../../terminal/json-text.ts';

/** Options of `events`. */
interface EventsOptions extends ReadingOptions {
  readonly after?: number;
  readonly salvage?: boolean;
  readonly as?: string;
  readonly only?: string;
}

/**
 * Prints the events of a run as JSON lines, from `--after` on; with `--as`, in the dialect of another system; with `--salvage`, the
 * intact events of a damaged run.
 */
export async function eventsCommand(reference: string, options: EventsOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  if (options.salvage === true) return await salvage(reference, options, terminal);
  using run = await openRecordedRun(options.store, reference);
  print(run.events, options, terminal);
  return 0;
}

/** Prints the intact events; returns 1 and reports the damage on stderr when some are missing. */
async function salvage(reference: string, options: EventsOptions, terminal: Terminal): Promise<ExitCode> {
  const journal = await openRecords(options.store);
  try {
    const { runId } = await findRunIn(journal, reference);
    const { events, problem } = await salvageRun(journal, runId);
    print(events, options, terminal);
    if (problem === undefined) return 0;
    terminal.tell(
      `error: nothing after event ${events.length} can be read: ${toTerminalText(problem.message, { maxLine: 2_000 })}\n`,
    );
    return 1;
  } finally {
    await journal.close();
  }
}

function print(events: readonly CadreEvent[], options: EventsOptions, terminal: Terminal): void {
  const translate = translatorOf(options);
  // Translates from the first event on, whatever is printed: names of agents come from earlier events.
  for (const event of events)
    for (const told of translate(event)) if (event.seq > (options.after ?? 0)) terminal.print(`${jsonText(told)}\n`);
}

function translatorOf({ as, only }: EventsOptions): (event: CadreEvent) => readonly object[] {
  if (as === undefined) {
    if (only !== undefined) throw new CadreError('OPTION_INVALID', '--only needs --as: it selects event names of another system');
    return (event) => [event];
  }
  if (!isDialect(as)) throw new CadreError('OPTION_INVALID', `--as takes ${eventDialects.join(' or ')}, not '${as}'`);
  const allow = only?.split(',').map((name) => name.trim());
  return eventTranslator({ as, ...(allow === undefined ? {} : { allow }) });
}
