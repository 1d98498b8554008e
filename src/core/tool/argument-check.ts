import type { JsonObject } from '../json.ts';

/** One problem of a call's arguments, with a JSON pointer to the place. */
export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

/** Result of checking a call's arguments. */
export type ArgumentCheck =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly errors: readonly ArgumentProblem[] };
