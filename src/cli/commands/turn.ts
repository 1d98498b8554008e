import { formatTurn } from '../../inspector/format/format-turn.ts';
import type { ExitCode } from '../exit-code.ts';
import { showRun, type ReadingOptions } from '../show.ts';

/** Shows everything on the record about one turn. */
export function turnCommand(run: string, turn: string, options: ReadingOptions): Promise<ExitCode> {
  return showRun(run, options, async (recorded) => {
    const record = await recorded.turn(turn);
    return { data: record, text: (format) => formatTurn(record, format) };
  });
}
