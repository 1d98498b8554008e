import type { CadreEvent } from '../../../core/events/event.ts';
import type { RunSummary } from '../../../core/events/journal.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import type { ExitCode } from '../../exit-code.ts';
import { findRunIn } from '../../runs/find-run.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { createProgressLines, fitProgress } from '../../progress/progress-lines.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import type { ReadingOptions } from '../../runs/show.ts';
import { openTerminal, type Terminal } from '../../terminal/terminal.ts';
import { thisCommand } from '../../options/this-command.ts';
import { jsonText } from '../../terminal/json-text.ts';

/** Options of `tail`. */
interface TailOptions extends ReadingOptions {
  /** Number of past lines to show; all when absent. */
  readonly lines?: number;
}

/** Milliseconds between reads of the journal, which another process writes. */
const pollMs = 250;
/** The same for a journal that tells of changes. */
const toldPollMs = 2_000;

/** Prints the progress of a run in any process, until it ends or no process owns it. */
export async function tailCommand(reference: string, options: TailOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  using interruption = new Interruption({ onlyReads: true });
  const journal = await openRecords(options.store);
  try {
    const { runId } = await findRunIn(journal, reference);
    const toLine = lineMaker(options, terminal);
    let wake: () => void = () => undefined;
    const unwatch = journal.watch?.(runId, () => wake());
    const longestMs = unwatch === undefined ? pollMs : toldPollMs;
    let after = 0;
    for (;;) {
      // From here on, so that a change during the read is not missed.
      const changed = new Promise<void>((resolve) => (wake = resolve));
      // The summary comes first: events written in between belong to the next read.
      const summary = (await journal.runs({ runId })).find((run) => run.runId === runId);
      const events = await journal.read(runId, { after });
      const lines = events.flatMap((event) => toLine(event) ?? []);
      printLines(after === 0 ? lines.slice(firstLine(lines, options)) : lines, options, terminal);
      after = events.at(-1)?.seq ?? after;
      const ended = events.find((event) => event.type === 'run.end');
      if (ended !== undefined) return ended.status === 'completed' ? 0 : 1;
      if (summary !== undefined && events.length === 0 && hasNoOwner(summary)) return reportNoOwner(summary, options, terminal);
      const timer = setTimeout(() => wake(), longestMs);
      await Promise.race([changed, interruption.asked]);
      clearTimeout(timer);
      if (interruption.signal.aborted) return 130;
    }
  } finally {
    await journal.close();
  }
}

function lineMaker(options: TailOptions, terminal: Terminal): (event: CadreEvent) => string | undefined {
  return options.json === true ? (event) => jsonText(event) : createProgressLines(terminal.outStyle);
}

/** Index of the first line to show of the past ones. */
function firstLine({ length }: readonly string[], { lines }: TailOptions): number {
  return lines === undefined ? 0 : Math.max(0, length - lines);
}

function printLines(lines: readonly string[], { json: isJson }: TailOptions, terminal: Terminal): void {
  for (const line of lines) terminal.print(`${isJson === true ? line : fitProgress(line, terminal.outWidth)}\n`);
}

/** True when no process advances the run: its process is gone, or it waits and no process owns it. */
function hasNoOwner({ isAbandoned, isImported, status }: RunSummary): boolean {
  return isAbandoned === true || isImported === true || status === 'damaged';
}

function reportNoOwner({ runId, status, isImported }: RunSummary, { store }: TailOptions, terminal: Terminal): ExitCode {
  if (isImported === true) {
    terminal.tell(`\nRun ${safe(runId)} was imported and is read-only; it never continues.\n`);
    return 0;
  }
  const waits = { idle: 'waits for a message', awaiting: 'waits for a person' };
  const isQuiet = status === 'idle' || status === 'awaiting';
  const why = isQuiet ? `${waits[status]}, and no process owns it` : 'was interrupted: no process advances it';
  terminal.tell(`\nRun ${safe(runId)} ${why}; resume it with: ${thisCommand(['resume', runId], store)}\n`);
  return isQuiet ? 0 : 1;
}
