import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Run } from '../../engine/run.ts';
import { readArguments } from '../../inspector/read-answer.ts';
import { resumeAnd } from '../resumed-run.ts';
import { usualStore } from '../store-path.ts';
import { openTerminal } from '../terminal.ts';
import { thisCommand } from '../this-command.ts';
import { answerWith, mailVerdict, type MailedVerdict } from '../verdict-mail.ts';
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
  const always = options.always === true;
  return decide(run, options, { kind: 'approve', ids, ...args, always }, (resumed) => resumed.approve(ids, { ...args, always }));
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
  const why = message === undefined ? {} : { message };
  return decide(run, options, { kind: 'reject', ids, ...why }, (resumed) => resumed.reject(ids, why));
}

/** Answers a question, and goes on with the run. */
export function answerCommand(run: string, id: string, words: readonly string[], options: RunOptions): Promise<ExitCode> {
  const text = words.join(' ');
  return decide(run, options, { kind: 'answer', id, text }, (resumed) => answerWith(resumed, id, text));
}

/** Takes the run up and decides; when another process has it, that one is told, and goes on. */
async function decide(
  reference: string,
  options: RunOptions,
  verdict: MailedVerdict,
  act: (run: Run) => Promise<void>,
): Promise<ExitCode> {
  try {
    return await resumeAnd(reference, options, act);
  } catch (thrown) {
    const runId = thrown instanceof CadreError && thrown.code === 'RUN_LOCKED' ? thrown.details['runId'] : undefined;
    if (typeof runId !== 'string') throw thrown;
    const answer = await mailVerdict(options.store ?? usualStore, runId, verdict);
    if (answer === 'nobody') throw thrown;
    if (answer !== 'taken') throw new CadreError(answer.code, answer.message, { cause: thrown });
    openTerminal(options).tell(
      `Decided. Run ${runId} goes on in the process that has it; watch it with: ${thisCommand(['tail', runId], options.store)}\n`,
    );
    return 0;
  }
}
