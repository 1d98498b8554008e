import { board } from '../../../inspect/board.ts';
import { formatBoard } from '../../../inspect/format/format-board.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows the work modules of a run by status. */
export function boardCommand(run: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, ({ state }) => {
    const view = board(state);
    return { data: view, text: (format) => formatBoard(view, format) };
  });
}
