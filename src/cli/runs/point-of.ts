import { CadreError } from '../../core/error.ts';
import { findTurn } from './find-turn.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Returns the sequence number that an argument refers to: the number itself, or the last event of a turn. */
export function pointOf({ state, events }: Pick<RecordedRun, 'state' | 'events'>, at: string): number {
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
