import { CadreError } from '../../core/error.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import { performAction } from '../../server/reach/perform-action.ts';
import { askHolder } from '../../server/reach/reach-run.ts';
import type { RunAction } from '../../server/reach/run-action.ts';
import type { RunOptions } from '../commands/running/run.ts';
import type { ExitCode } from '../exit-code.ts';
import { findRunIn } from './find-run.ts';
import { openRecords } from './recorded-run.ts';
import { resumeAndDrive } from './resumed-run.ts';
import { checkDefaultStore, storePath } from '../options/store-path.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import { jsonText } from '../terminal/json-text.ts';

/** Finds the run that a command-line argument refers to. */
export async function lookUpRun(reference: string, store: string | undefined): Promise<RunSummary> {
  const journal = await openRecords(store);
  try {
    return await findRunIn(journal, reference);
  } finally {
    await journal.close();
  }
}

/** Action on a run, and the message after success. */
export interface ActOptions {
  readonly action: RunAction;
  readonly success: string;
}

/**
 * Applies an action to a run: in the process that owns it, or else here, where the run is resumed and driven until it has nothing left
 * to do.
 */
export async function actOnRun(reference: string, options: RunOptions, { action, success }: ActOptions): Promise<ExitCode> {
  await checkDefaultStore(options.store);
  const summary = await lookUpRun(reference, options.store);
  const done = await askHolder(summary, action, {
    store: storePath(options.store),
    findRun: () => lookUpRun(summary.runId, options.store),
  });
  if (done === undefined)
    return await resumeAndDrive(summary.runId, options, async (run) => void (await performAction(run, action)));
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText({ type: 'done', runId: summary.runId, ...done })}\n`);
  else terminal.tell(`${success} ${elsewhereText(summary.runId, options.store)}`);
  return 0;
}

function elsewhereText(runId: string, store: string | undefined): string {
  return `Run ${runId} continues in the process that owns it; watch it with: ${thisCommand(['tail', runId], store)}\n`;
}

/** Adds the remedy to RUN_LOCKED when the owning process does not answer; returns other errors unchanged. */
export function withTakeOverHint(runId: string, thrown: unknown, command: string): unknown {
  if (!(thrown instanceof CadreError) || thrown.code !== 'RUN_LOCKED' || thrown.details['owner'] === undefined) return thrown;
  return new CadreError(
    'RUN_LOCKED',
    `run ${runId} is held by ${String(thrown.details['owner'])}, which accepts no messages from other processes; end that process, or take the run over with: ${command}`,
    { cause: thrown, details: thrown.details },
  );
}
