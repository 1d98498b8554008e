/*
 * Which values of state hold words from outside.
 *
 * Owns: `SubContext.stateTaint` and `TeamState.taint`. Does not own: how such a value is shown (`quote-state.ts`).
 * 1. A value that an agent writes after it has read untrusted text is as untrusted, and so is one that an untrusted tool returned.
 * 2. Numbers, truth values and single words carry no orders, and no taint.
 * 3. What was written before stays as it was: nothing is framed because of what is read later.
 */

/** Untrusted sources, by the dotted path of the value their words stand in: `values.page`, `team.shared.notes`. */
export type StateTaint = Map<string, readonly string[]>;
