import { CadreError } from '../../core/error.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import { performAction } from '../../server/reach/perform-action.ts';
import { askHolder } from '../../server/reach/reach-run.ts';
import type { ActionDone, RunAction } from '../../server/reach/run-action.ts';
import type { RunOptions } from '../commands/running/run.ts';
import type { ExitCode } from '../exit-code.ts';
import { findRun } from './find-run.ts';
import { openRecords } from './recorded-run.ts';
import { resumeAnd } from './resumed-run.ts';
import { storePath } from '../options/store-path.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import { jsonText } from '../terminal/json-text.ts';

/** The run that a word on the command line means, as the journal lists it. */
export async function lookUpRun(reference: string, store: string | undefined): Promise<RunSummary> {
  const journal = await openRecords(store);
  try {
    return findRun(await journal.runs(), reference, journal.location);
  } finally {
    await journal.close();
  }
}

/**
 * Does something to a run: in the process that has it, which goes on with it; or in this one, which takes the run up and sees it
 * through. `word` says what was done.
 */
export async function actOnRun(reference: string, options: RunOptions, action: RunAction, word: string): Promise<ExitCode> {
  const summary = await lookUpRun(reference, options.store);
  const done = await askHolder(summary, action, {
    store: storePath(options.store),
    findRun: () => lookUpRun(summary.runId, options.store),
  });
  if (done === undefined) return await resumeAnd(summary.runId, options, async (run) => void (await performAction(run, action)));
  tellDone(summary.runId, done, options, word);
  return 0;
}

function tellDone(runId: string, done: ActionDone, options: RunOptions, word: string): void {
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText({ type: 'done', runId, ...done })}\n`);
  else
    terminal.tell(
      `${word} Run ${runId} goes on in the process that has it; watch it with: ${thisCommand(['tail', runId], options.store)}\n`,
    );
}

/** What is said of a run whose process does not answer. */
export function heldElsewhere(runId: string, thrown: unknown, command: string): unknown {
  if (!(thrown instanceof CadreError) || thrown.code !== 'RUN_LOCKED' || thrown.details['owner'] === undefined) return thrown;
  return new CadreError(
    'RUN_LOCKED',
    `run ${runId} is held by ${String(thrown.details['owner'])}, which takes no messages from other processes; end that process, or take the run from it with: ${command}`,
    { cause: thrown, details: thrown.details },
  );
}
