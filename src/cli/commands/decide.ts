import type { ExitCode } from '../exit-code.ts';
import { readAnswer } from '../read-verdict.ts';
import { resumeAnd } from '../resumed-run.ts';
import type { RunOptions } from './run.ts';

/** Lets a call run that waits for approval, and goes on with the run. */
export function approveCommand(run: string, id: string, options: RunOptions): Promise<ExitCode> {
  return resumeAnd(run, options, (resumed) => resumed.approve(id));
}

/** Refuses a call that waits for approval, and goes on with the run; the model reads the message. */
export function rejectCommand(run: string, id: string, options: RunOptions & { readonly message?: string }): Promise<ExitCode> {
  const { message } = options;
  return resumeAnd(run, options, (resumed) => resumed.reject(id, message === undefined ? {} : { message }));
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
