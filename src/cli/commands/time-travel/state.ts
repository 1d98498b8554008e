import { formatState } from '../../../inspect/format/format-state.ts';
import { stateAt } from '../../../inspect/state/state-at.ts';
import type { ExitCode } from '../../exit-code.ts';
import { pointOf } from '../../runs/point-of.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';

/** Options of `state`. */
export interface StateCommandOptions extends ReadingOptions {
  /** Sequence number, or turn. */
  readonly at?: string;
}

/** Shows the state of a run as it was at one point, or one value with the patches that made it. */
export async function stateCommand(run: string, path: string | undefined, options: StateCommandOptions): Promise<ExitCode> {
  return await showRun(run, options, (recorded) => {
    const seq = options.at === undefined ? undefined : pointOf(recorded, options.at);
    const state = stateAt(recorded.events, { seq, path });
    return { data: state, text: (format) => formatState(state, format) };
  });
}
