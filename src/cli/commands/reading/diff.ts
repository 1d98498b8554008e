import { diffTurns } from '../../../inspect/turn/diff-turns.ts';
import { formatDiff } from '../../../inspect/format/format-diff.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows the differences between the prompts of two turns. */
export function diffCommand(
  run: string,
  { before, after }: { readonly before: string; readonly after: string },
  options: ReadingOptions,
): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const diff = diffTurns(await recorded.turn(before), await recorded.turn(after));
    return { data: diff, text: (format) => formatDiff(diff, format) };
  });
}
