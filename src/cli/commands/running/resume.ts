import { CadreError } from '../../../core/error.ts';
import { terminalBy } from '../../access/local-by.ts';
import type { ExitCode } from '../../exit-code.ts';
import { resumeAndDrive, type ResumedOptions } from '../../runs/resumed-run.ts';
import { thisCommand } from '../../options/this-command.ts';
import type { RunSummary } from '../../../core/events/journal.ts';
import { pendingOf } from '../../../core/state/pending.ts';
import { undecidedMs } from '../../../engine/recovery/leases.ts';
import { isInterrupted } from '../../../engine/recovery/recover-runs.ts';
import { countText } from '../../../inspect/format/text/quantity-text.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { toTerminalText } from '../../../inspect/format/text/terminal-text.ts';
import { openRecordedRun, openRecords } from '../../runs/recorded-run.ts';
import { openTerminal, type Terminal } from '../../terminal/terminal.ts';

/** Options of `resume` alone. */
export interface ResumeCommandOptions extends ResumedOptions {
  readonly all?: boolean;
}

/** Resumes a run, sending the words as a message when there are any; or all interrupted runs. */
export async function resumeCommand(
  run: string | undefined,
  words: readonly string[],
  options: ResumeCommandOptions,
): Promise<ExitCode> {
  if (options.all === true) {
    if (run !== undefined) throw new CadreError('OPTION_INVALID', `--all takes no run and no message, but got '${run}'`);
    return await resumeAll(options);
  }
  if (run === undefined)
    throw new CadreError('OPTION_INVALID', `name a run, or resume all interrupted ones: ${thisCommand(['resume', '--all'])}`);
  return resumeAndDrive(run, options, async (resumed) => {
    if (words.length > 0) await resumed.send(words.join(' '), terminalBy());
  });
}

/**
 * Resumes every interrupted run of the journal, oldest first, each until it has nothing left to do. Of waiting runs, those with a pending
 * request are listed and the others counted. A run that cannot be resumed does not stop the rest. Returns 0 when all succeeded.
 */
async function resumeAll(options: ResumedOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  const interrupted = await interruptedRuns(options.store);
  // Imported runs are read-only.
  const runs = interrupted.filter(({ isImported }) => isImported !== true);
  const waiting = runs.filter(({ status }) => status === 'awaiting' || status === 'idle');
  const due = runs.filter((run) => !waiting.includes(run));
  const say = (text: string): void => {
    if (options.quiet !== true) terminal.tell(text);
  };
  let left = 0;
  // Runs whose holder may be gone come last, so that waiting for them delays no other run.
  const queue = due.map((run, index) => ({ run, number: index + 1, waitForHolder: false }));
  for (const entry of queue) {
    const { run, number, waitForHolder } = entry;
    say(`${entry === queue[0] ? '' : '\n'}Run ${safe(run.runId)} (${number} of ${due.length}): ${safe(run.title)}\n`);
    const code = await resumeOne(run, { ...options, waitForHolder }, terminal);
    if (code === 130) return 130;
    if (code === 'undecided') queue.push({ ...entry, waitForHolder: true });
    else if (code !== 0) left += 1;
  }
  const failed = left === 0 ? '' : `, ${left} of them unsuccessfully`;
  say(due.length === 0 ? 'No run was interrupted.\n' : `\n${countText(due.length, 'run')} resumed${failed}.\n`);
  const foreign = interrupted.length - runs.length;
  if (foreign > 0) say(`${countText(foreign, 'run')} not resumed, because imported runs are read-only.\n`);
  if (options.quiet !== true) terminal.tell(await waitingLines(waiting, options.store));
  return left === 0 ? 0 : 1;
}

async function interruptedRuns(store: string | undefined): Promise<readonly RunSummary[]> {
  const journal = await openRecords(store);
  try {
    return (await journal.runs()).filter(({ status }) => isInterrupted(status)).toReversed();
  } finally {
    await journal.close();
  }
}

/** Lists runs with a pending request and counts those that only await a message. */
async function waitingLines(waiting: readonly RunSummary[], store: string | undefined): Promise<string> {
  let lines = '';
  let atRest = 0;
  for (const { runId, title, status } of waiting) {
    if (status === 'awaiting' && (await hasPending(runId, store)))
      lines += `Run ${safe(runId)} waits for a decision (${safe(title)}): ${thisCommand(['pending', runId], store)}\n`;
    else atRest += 1;
  }
  const rest = `${countText(atRest, 'run')} ${atRest === 1 ? 'waits' : 'wait'} for a message: ${thisCommand(['runs'], store)}\n`;
  return atRest === 0 ? lines : lines + rest;
}

/** True when a run has a pending request, or cannot be read: it is then listed for a person to check. */
async function hasPending(runId: string, store: string | undefined): Promise<boolean> {
  try {
    using recorded = await openRecordedRun(store, runId);
    return pendingOf(recorded.state).length > 0;
  } catch (thrown) {
    if (thrown instanceof CadreError) return true;
    throw thrown;
  }
}

async function resumeOne(run: RunSummary, options: ResumedOptions, terminal: Terminal): Promise<ExitCode | 'undecided'> {
  try {
    return await resumeAndDrive(run.runId, options, async () => undefined);
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    if (options.waitForHolder === false && undecidedMs(thrown) !== undefined) {
      terminal.tell(`Held by ${safe(String(thrown.details['owner']))}, which cannot be checked from here; this run comes last.\n`);
      return 'undecided';
    }
    terminal.tell(`error: ${toTerminalText(thrown.message, { maxLine: 2_000, maxLines: 20 })}\n`);
    return 1;
  }
}
