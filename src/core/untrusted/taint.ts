/*
 * Values of state that hold untrusted text.
 *
 * Owns: `SubContext.stateTaint` and `TeamState.taint`. Does not own: the display of such a value (`quote-state.ts`).
 * 1. A value that an agent writes after reading untrusted text is untrusted, and so is one that an untrusted tool returned.
 * 2. Numbers, booleans and single words carry no instructions, and no taint.
 * 3. Text read later does not change the taint of earlier values.
 */

/** Untrusted sources by the dotted path of the value that holds their text: `values.page`, `team.shared.notes`. */
export type StateTaint = Map<string, readonly string[]>;
