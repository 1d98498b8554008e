import { formatTurn } from '../../../inspect/format/turn/format-turn.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openRecordedTurn } from '../../runs/recorded-turn.ts';
import { show, showRun, type ReadingOptions } from '../../runs/show.ts';

/** Shows the full record of one turn. */
export async function turnCommand(run: string, turn: string, options: ReadingOptions): Promise<ExitCode> {
  using near = await openRecordedTurn(options.store, run, turn);
  if (near !== undefined) {
    const record = await near.run.turn(near.turnId);
    return show({ data: record, text: (format) => formatTurn(record, format) }, options);
  }
  return await showRun(run, options, async (recorded) => {
    const record = await recorded.turn(turn);
    return { data: record, text: (format) => formatTurn(record, format) };
  });
}
