import type { RunId } from '../../../core/ids.ts';
import { CadreError } from '../../../core/error.ts';
import { createEngine } from '../../../engine/create-engine.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import type { ActionDone, RunAction } from '../../../server/reach/run-action.ts';
import { terminalBy } from '../../access/local-by.ts';
import { actElsewhere, actOnRun, actOnWorkers, lookUpRun, type SteeringOptions, withTakeOverHint } from '../../runs/act-on-run.ts';
import type { ExitCode } from '../../exit-code.ts';
import { restateOf } from '../../options/restate-option.ts';
import { checkStorePlace } from '../../options/store-path.ts';
import { openJournal } from '../../options/open-journal.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { thisCommand } from '../../options/this-command.ts';
import { jsonText } from '../../terminal/json-text.ts';

/** Options of `send`. */
export interface SendCommandOptions extends SteeringOptions {
  /** Id of the agent; the root agent when absent. */
  readonly to?: string;
  /** Interrupts the agent's current model call. */
  readonly now?: boolean;
}

/** Sends a message to a run in any process; if no process owns it, resumes it and drives it until it has nothing left to do. */
export async function sendCommand(run: string, words: readonly string[], options: SendCommandOptions): Promise<ExitCode> {
  const text = words.join(' ').trim();
  if (text === '') throw new CadreError('OPTION_INVALID', 'the message is empty; write it after the run');
  const { to, now } = options;
  const action: RunAction = { kind: 'send', text, ...(to === undefined ? {} : { to }), ...(now === true && { priority: 'now' }) };
  return await actOnRun(run, options, { action, success: 'Sent.' });
}

/** Sets or removes a note for the agents of a run in any process. */
export async function noteCommand(
  run: string,
  { title, words }: { readonly title: string; readonly words: readonly string[] },
  options: SteeringOptions & { readonly agent?: string },
): Promise<ExitCode> {
  const content = words.join(' ').trim();
  const { agent } = options;
  const action: RunAction = { kind: 'note', title, content, ...(agent === undefined ? {} : { agent }) };
  return await actOnRun(run, options, { action, success: content === '' ? 'Note removed.' : 'Note set.' });
}

/** Options of `cancel`. */
export interface CancelCommandOptions extends SteeringOptions {
  readonly agent?: string;
  readonly module?: string;
  readonly reason?: string;
  /** Takes the run over from a process that does not answer. */
  readonly takeOver?: boolean;
}

/** Cancels a run in any process and waits until it has stopped; or only one of its agents or work modules. */
export async function cancelCommand(reference: string, options: CancelCommandOptions): Promise<ExitCode> {
  const { agent, module, takeOver } = options;
  if (takeOver === true && options.restate !== undefined)
    throw new CadreError(
      'OPTION_INVALID',
      '--take-over takes the run from a process; with --restate workers cancel it. Use one of them',
    );
  const reason = options.reason ?? 'cancelled from the command line';
  const action: RunAction = {
    kind: 'cancel',
    reason,
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(module === undefined ? {} : { moduleId: module }),
  };
  await checkStorePlace(options.store);
  const summary = await lookUpRun(reference, options.store);
  const { runId, outcome, status } = summary;
  if (outcome !== undefined) return reportEnded(runId, { status, outcome, pending: [], wasOver: true }, options);
  const isWhole = agent === undefined && module === undefined;
  const runtime = await restateOf(options);
  const done =
    runtime !== undefined
      ? await actOnWorkers(summary, action, { store: options.store, runtime })
      : takeOver === true
        ? undefined
        : await actElsewhere(summary, action, options.store);
  if (done !== undefined)
    return isWhole ? reportEnded(runId, { ...done, wasOver: false }, options) : reportPartEnded(runId, done, options);
  // The rest of the run continues.
  if (!isWhole) return await actOnRun(runId, options, { action, success: 'Cancelled.' });
  return reportEnded(runId, { ...(await cancelHere(runId, options, reason)), wasOver: false }, options);
}

/** Cancels a run that no process owns, or takes it over first; starts none of its models or tools. */
async function cancelHere(runId: RunId, options: CancelCommandOptions, reason: string): Promise<ActionDone> {
  const journal = await openJournal(options.store, { takeOver: options.takeOver ?? false });
  try {
    await using engine = await createEngine({ profiles: { files: [] }, store: journal });
    const { state } = await engine.cancel(runId, reason, terminalBy());
    return { status: state.status, pending: [], ...(state.outcome === undefined ? {} : { outcome: state.outcome }) };
  } catch (thrown) {
    throw withTakeOverHint(runId, thrown, thisCommand(['cancel', runId, '--take-over'], options.store));
  } finally {
    await journal.close();
  }
}

function reportEnded(runId: RunId, done: ActionDone & { readonly wasOver: boolean }, options: CancelCommandOptions): ExitCode {
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText({ type: 'done', runId, ...done })}\n`);
  else if (done.wasOver) terminal.tell(`Run ${safe(runId)} had already ended (${safe(done.status)}).\n`);
  else terminal.tell(`Run ${safe(runId)} has ended (${safe(done.status)}); its journal and files are kept.\n`);
  return 0;
}

function reportPartEnded(runId: RunId, done: ActionDone, options: CancelCommandOptions): ExitCode {
  const terminal = openTerminal(options);
  if (options.json === true) terminal.print(`${jsonText({ type: 'done', runId, ...done })}\n`);
  else terminal.tell(`Cancelled. The rest of run ${safe(runId)} continues in the process that owns it.\n`);
  return 0;
}
