import { CadreError } from '../../../core/error.ts';
import type { ExitCode } from '../../exit-code.ts';
import { resumeAndDrive, type ResumedOptions } from '../../runs/resumed-run.ts';
import { thisCommand } from '../../options/this-command.ts';

/** Options of `resume` alone. */
export interface ResumeCommandOptions extends ResumedOptions {
  readonly all?: boolean;
}

/** Resumes a run, sending the words as a message when there are any; or all interrupted runs. */
export async function resumeCommand(
  run: string | undefined,
  words: readonly string[],
  options: ResumeCommandOptions,
): Promise<ExitCode> {
  if (options.all === true) {
    if (run !== undefined) throw new CadreError('OPTION_INVALID', `--all takes no run and no message, but got '${run}'`);
    const { resumeAll } = await import('../../runs/resume-all.ts');
    return resumeAll(options);
  }
  if (run === undefined)
    throw new CadreError('OPTION_INVALID', `name a run, or resume all interrupted ones: ${thisCommand(['resume', '--all'])}`);
  return resumeAndDrive(run, options, async (resumed) => {
    if (words.length > 0) await resumed.send(words.join(' '));
  });
}
