import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';

/*
 * Values that hold untrusted text.
 *
 * Owns: `SubContext.stateTaint` and `TeamState.taint`. Does not own: what expressions read of them (`scope-origins.ts`), and how such a value
 * is shown (`quote-state.ts`).
 * 1. A value that an agent writes after reading untrusted text is untrusted, and so is one that an untrusted tool returned, or that an
 *    expression made of untrusted values. Neither the name of a value nor the form of its text decides.
 * 2. Numbers and booleans carry no instructions, and no taint. The names they are stored under do.
 * 3. Text read later does not change the taint of earlier values.
 */

/** Names of untrusted sources; empty for text that is trusted. */
export type Labels = readonly string[];

/** Taint of one value. */
export interface Taint {
  readonly labels: Labels;
  /**
   * True for words of an agent that had read untrusted text, and not such text itself. Texts that show the value frame them, too; where
   * they are a task for another agent, its briefing does not, and only counts their sources.
   */
  readonly said?: true;
}

/** Taint by the dotted path of the value: `values.page`, `team.shared.notes`, `team.work_modules.WM_1.description`, `initial_params`. */
export type StateTaint = Map<string, Taint>;

/** Start of the places of names: `names of flags.sold` has the taint of that name, which the value under it may lack. */
export const namesOf = 'names of ';

/** Returns the sources of all values, and of all names, whose paths begin in this way. */
export function labelsBelow(taint: StateTaint, start: string): Labels {
  const labels = new Set<string>();
  for (const [place, known] of taint)
    if (place.startsWith(start) || place.startsWith(namesOf + start)) for (const label of known.labels) labels.add(label);
  return [...labels];
}

/** True for a value that holds text anywhere: in a string, or in the name of a key. */
export function carriesText(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value !== '';
  if (Array.isArray(value)) return value.some((each: JsonValue) => carriesText(each));
  return isJsonObject(value) && Object.keys(value).length > 0;
}
