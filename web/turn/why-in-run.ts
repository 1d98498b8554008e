import { why, type WhyAnswer, whyAt, type WhyOptions } from '../../src/inspect/why/why.ts';
import type { WhyPlace } from '../../src/inspect/why/why-place.ts';
import type { RunStore } from '../data/run-store.ts';

/** Returns the origin of a text in a turn, or of the text at a place. */
export function whyInRun(store: RunStore, turnId: string, text: string | WhyPlace): readonly WhyAnswer[] {
  const record = store.turn(turnId);
  const { state, contents, eventAt, profiles } = store;
  if (state === undefined || record === undefined) return [];
  const options: WhyOptions = { content: contents.read, eventAt, record, ...(profiles === undefined ? {} : { profiles }) };
  if (typeof text === 'string') return why(state, turnId, text, options);
  const answer = whyAt(state, turnId, text, options);
  return answer === undefined ? [] : [answer];
}
