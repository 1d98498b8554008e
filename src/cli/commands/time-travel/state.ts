import { formatState } from '../../../inspect/format/format-state.ts';
import { stateAt } from '../../../inspect/state/state-at.ts';
import type { ExitCode } from '../../exit-code.ts';
import { showRun, type ReadingOptions } from '../../runs/show.ts';
import { CadreError } from '../../../core/error.ts';
import { findTurn } from '../../runs/find-turn.ts';
import type { RecordedRun } from '../../runs/recorded-run.ts';

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

/** Returns the sequence number that an argument refers to: the number itself, or the last event of a turn. */
function pointOf({ state, events }: Pick<RecordedRun, 'state' | 'events'>, at: string): number {
  const last = events.at(-1)?.seq ?? 0;
  if (/^\d+$/.test(at)) {
    const seq = Number(at);
    if (seq >= 1 && seq <= last) return seq;
    throw new CadreError('OPTION_INVALID', `run ${state.meta.runId} has no event ${at}; it has 1 to ${last}`);
  }
  const turnId = findTurn(state, at);
  const turn = state.turns.get(turnId);
  const seqs = [turn?.start, turn?.modelEnd, turn?.decide, turn?.end, ...(turn?.calls ?? []).map(({ end }) => end)];
  return Math.max(...seqs.map((event) => event?.seq ?? 0));
}
