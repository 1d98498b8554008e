import { CadreError } from '../../core/error.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Runtime } from '../../core/runtime.ts';
import { createEngine } from '../../engine/create-engine.ts';
import { performAction } from '../../server/reach/perform-action.ts';
import { actHere, askHolder } from '../../server/reach/reach-run.ts';
import { terminalBy } from '../access/local-by.ts';
import type { ActionDone, Letter, RunAction } from '../../server/reach/run-action.ts';
import { journalSecrets } from '../options/journal-key.ts';
import { openJournal } from '../options/open-journal.ts';
import type { RunOptions } from '../commands/running/run.ts';
import { type RestateFlags, restateOf } from '../options/restate-option.ts';
import type { ExitCode } from '../exit-code.ts';
import { findRunIn } from './find-run.ts';
import { openRecords } from './recorded-run.ts';
import { resumeAndDrive } from './resumed-run.ts';
import { checkStorePlace, storePath } from '../options/store-path.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { sharedPrefix, steerAtRuntime } from '../../journal/leases/lease-owner.ts';
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

/** Options of commands that act on a run. */
export interface SteeringOptions extends RunOptions, RestateFlags {}

/** Action on a run, and the message after success. */
export interface ActOptions {
  readonly action: RunAction;
  readonly success: string;
}

/**
 * Applies an action to a run: by the workers of a Restate, when one is named; in the process that owns it; or else here, where the run is
 * resumed and driven until it has nothing left to do.
 */
export async function actOnRun(reference: string, options: SteeringOptions, { action, success }: ActOptions): Promise<ExitCode> {
  await checkStorePlace(options.store);
  const runtime = await restateOf(options);
  const summary = await lookUpRun(reference, options.store);
  const { runId } = summary;
  const by = terminalBy();
  const letter = { ...action, ...by };
  const done =
    runtime === undefined
      ? await actElsewhere(summary, letter, options.store)
      : await actOnWorkers(summary, letter, { store: options.store, runtime });
  if (done === undefined) return await resumeAndDrive(runId, options, async (run) => void (await performAction(run, action, by)));
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText({ type: 'done', runId, ...done })}\n`);
  else {
    const where = runtime === undefined ? 'in the process that owns it' : 'on workers';
    terminal.tell(`${success} Run ${runId} continues ${where}; watch it with: ${thisCommand(['tail', runId], options.store)}\n`);
  }
  return 0;
}

/** Has the process that owns a run act on it; undefined when none does. */
export async function actElsewhere(
  summary: RunSummary,
  action: Letter,
  store: string | undefined,
): Promise<ActionDone | undefined> {
  return await askHolder(summary, action, { store: storePath(store), findRun: () => lookUpRun(summary.runId, store) });
}

/**
 * Has workers act on a run, and leaves it to them, also when another process launched it. When a process without Restate has the run, that
 * one is asked. Needs no profiles, tools or models of the run here.
 */
export async function actOnWorkers(
  summary: RunSummary,
  action: Letter,
  { store, runtime }: { readonly store: string | undefined; readonly runtime: Runtime },
): Promise<ActionDone> {
  const { runId, outcome, status } = summary;
  if (outcome !== undefined)
    throw new CadreError(
      'RUN_ENDED',
      `run ${runId} has ended (${status}); go on from there with a fork: ${thisCommand(['fork', runId], store)}`,
    );
  const journal = await openJournal(store);
  try {
    await using engine = await createEngine({ profiles: { files: [] }, store: journal, runtime, ...journalSecrets(store) });
    return await actHere(engine, runId, action);
  } catch (thrown) {
    const isLocked = thrown instanceof CadreError && thrown.code === 'RUN_LOCKED';
    const done = isLocked ? await actElsewhere(summary, action, store) : undefined;
    if (done === undefined) throw thrown;
    return done;
  } finally {
    await journal.close();
  }
}

/** Adds the remedy to RUN_LOCKED when the owning process does not answer; returns other errors unchanged. */
export function withTakeOverHint(runId: string, thrown: unknown, command: string): unknown {
  if (!(thrown instanceof CadreError) || thrown.code !== 'RUN_LOCKED' || thrown.details['owner'] === undefined) return thrown;
  const owner = String(thrown.details['owner']);
  const remedy = owner.startsWith(sharedPrefix)
    ? `; ${steerAtRuntime}`
    : ', which accepts no messages from other processes; end that process';
  return new CadreError('RUN_LOCKED', `run ${runId} is held by ${owner}${remedy}, or take the run over with: ${command}`, {
    cause: thrown,
    details: thrown.details,
  });
}
