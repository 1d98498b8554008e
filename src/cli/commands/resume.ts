import type { ExitCode } from '../exit-code.ts';
import { resumeAnd } from '../resumed-run.ts';
import type { RunOptions } from './run.ts';

/** Takes a run up where its journal stands, with another message when there are words for one. */
export function resumeCommand(run: string, words: readonly string[], options: RunOptions): Promise<ExitCode> {
  return resumeAnd(run, options, async (resumed) => {
    if (words.length > 0) await resumed.send(words.join(' '));
  });
}
