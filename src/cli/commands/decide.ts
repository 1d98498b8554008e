import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ExitCode } from '../exit-code.ts';
import { readAnswer, readArguments } from '../read-verdict.ts';
import { resumeAnd } from '../resumed-run.ts';
import type { RunOptions } from './run.ts';

/** How calls are approved. */
export interface ApproveCommandOptions extends RunOptions {
  /** All arguments the call is to run with, as JSON. */
  readonly edit?: string;
  readonly always?: boolean;
}

/** Lets calls run that wait for approval, and goes on with the run. */
export function approveCommand(run: string, ids: readonly string[], options: ApproveCommandOptions): Promise<ExitCode> {
  // What cannot be read is told before the run is taken up.
  const args = options.edit === undefined ? {} : { args: argumentsOf(options.edit) };
  return resumeAnd(run, options, (resumed) => resumed.approve(ids, { ...args, always: options.always === true }));
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
export function rejectCommand(
  run: string,
  ids: readonly string[],
  options: RunOptions & { readonly message?: string },
): Promise<ExitCode> {
  const { message } = options;
  return resumeAnd(run, options, (resumed) => resumed.reject(ids, message === undefined ? {} : { message }));
}

/** Answers a question, and goes on with the run. */
export function answerCommand(run: string, id: string, words: readonly string[], options: RunOptions): Promise<ExitCode> {
  return resumeAnd(run, options, async (resumed) => {
    const request = resumed.pending.find((candidate) => candidate.id === id);
    const text = words.join(' ');
    // An id that nothing waits under is refused by the run, which knows what does wait.
    await resumed.answer(id, request === undefined ? text : readAnswer(request, text));
  });
}
