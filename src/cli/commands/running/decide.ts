import type { RunAction } from '../../../server/reach/run-action.ts';
import { CadreError } from '../../../core/error.ts';
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { pendingOf } from '../../../core/state/pending.ts';
import { actOnRun, type SteeringOptions } from '../../runs/act-on-run.ts';
import type { ExitCode } from '../../exit-code.ts';
import { readAnswer, readArguments } from '../../../inspect/read-answer.ts';
import { openRecordedRun } from '../../runs/recorded-run.ts';

/** Options of `approve`. */
export interface ApproveCommandOptions extends SteeringOptions {
  /** New arguments of the call, all of them, as JSON. */
  readonly edit?: string;
  readonly always?: boolean;
}

const success = 'Decided.';

/** Approves pending calls and resumes the run. */
export async function approveCommand(run: string, ids: readonly string[], options: ApproveCommandOptions): Promise<ExitCode> {
  // Reports invalid JSON before the run is resumed.
  const args = options.edit === undefined ? {} : { args: argumentsOf(options.edit) };
  const action: RunAction = { kind: 'approve', ids, ...args, always: options.always === true };
  return await actOnRun(run, options, { action, success });
}

function argumentsOf(text: string): JsonObject {
  try {
    return readArguments(text);
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `--edit: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
      cause: thrown,
    });
  }
}

/** Rejects pending calls and resumes the run; the model reads the message. */
export async function rejectCommand(
  run: string,
  ids: readonly string[],
  options: SteeringOptions & { readonly message?: string },
): Promise<ExitCode> {
  const { message } = options;
  const action: RunAction = { kind: 'reject', ids, ...(message === undefined ? {} : { message }) };
  return await actOnRun(run, options, { action, success });
}

/** Answers a question and resumes the run. */
export async function answerCommand(
  run: string,
  { id, words }: { readonly id: string; readonly words: readonly string[] },
  options: SteeringOptions,
): Promise<ExitCode> {
  const value = await toAnswer({ run, store: options.store, id }, words.join(' '));
  return await actOnRun(run, options, { action: { kind: 'answer', id, value }, success });
}

/** Converts the typed answer to the form the question expects. An unknown id passes: the run rejects it and lists the pending ones. */
async function toAnswer(
  { run, store, id }: { readonly run: string; readonly store: string | undefined; readonly id: string },
  text: string,
): Promise<JsonValue> {
  using recorded = await openRecordedRun(store, run);
  const request = pendingOf(recorded.state).find((candidate) => candidate.id === id);
  return request === undefined ? text : readAnswer(request, text);
}
