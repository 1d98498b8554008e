import { CadreError } from '../../../core/error.ts';
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { pendingOf } from '../../../core/state/pending.ts';
import { actOnRun } from '../../runs/act-on-run.ts';
import type { ExitCode } from '../../exit-code.ts';
import { readAnswer, readArguments } from '../../../inspect/read-answer.ts';
import { openRecordedRun } from '../../runs/recorded-run.ts';
import type { RunOptions } from './run.ts';

/** How calls are approved. */
export interface ApproveCommandOptions extends RunOptions {
  /** All arguments the call is to run with, as JSON. */
  readonly edit?: string;
  readonly always?: boolean;
}

const decided = 'Decided.';

/** Lets calls run that wait for approval, and goes on with the run. */
export async function approveCommand(run: string, ids: readonly string[], options: ApproveCommandOptions): Promise<ExitCode> {
  // What cannot be read is told before the run is taken up.
  const args = options.edit === undefined ? {} : { args: argumentsOf(options.edit) };
  return await actOnRun(run, options, { kind: 'approve', ids, ...args, always: options.always === true }, decided);
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

/** Refuses calls that wait for approval, and goes on with the run; the model reads the message. */
export async function rejectCommand(
  run: string,
  ids: readonly string[],
  options: RunOptions & { readonly message?: string },
): Promise<ExitCode> {
  const { message } = options;
  return await actOnRun(run, options, { kind: 'reject', ids, ...(message === undefined ? {} : { message }) }, decided);
}

/** Answers a question, and goes on with the run. */
export async function answerCommand(run: string, id: string, words: readonly string[], options: RunOptions): Promise<ExitCode> {
  const value = await readTyped(run, options.store, id, words.join(' '));
  return await actOnRun(run, options, { kind: 'answer', id, value }, decided);
}

/** What was typed, as the question wants it; an id that nothing waits under is refused by the run, which knows what does wait. */
async function readTyped(run: string, store: string | undefined, id: string, text: string): Promise<JsonValue> {
  using recorded = await openRecordedRun(store, run);
  const request = pendingOf(recorded.state).find((candidate) => candidate.id === id);
  return request === undefined ? text : readAnswer(request, text);
}
