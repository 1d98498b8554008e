import { CadreError } from '../error.ts';
import type { Scope } from './roots.ts';

// Steps that one evaluation may spend: a loop round costs the nodes of its body, a function the items and text it touches.
const MAX_STEPS = 100_000;

/** Longest text, in UTF-16 units, that an expression may produce or search. */
export const MAX_TEXT = 4_000_000;

/** Deepest nesting of data that an expression compares, prints or returns. */
export const MAX_DATA_DEPTH = 256;

/** A place in an expression's source, for messages. */
export interface Site {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

const noSlots: unknown[] = [];

/** One evaluation: its scope, loop variables and step budget. Never outlives the call. */
export class Evaluation {
  readonly scope: Scope;
  /** Loop variables, indexed by nesting depth. */
  readonly slots: unknown[];
  #steps = MAX_STEPS;

  constructor(scope: Scope, slotCount: number) {
    this.scope = scope;
    this.slots = slotCount === 0 ? noSlots : Array.from<unknown>({ length: slotCount });
  }

  /** True when the budget is spent; such a failure must not be absorbed by `||`, `&&`, `exists` or `all`. */
  get exhausted(): boolean {
    return this.#steps < 0;
  }

  /** Spends steps; throws once the budget is used up. */
  charge(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw failure(`the expression needs more than ${MAX_STEPS} steps`);
  }

  /** Charges for producing or searching a text of this length. */
  chargeText(length: number): void {
    if (length > MAX_TEXT) {
      this.#steps = -1;
      throw failure(`the expression handles a text of ${length} characters, ${MAX_TEXT} are allowed`);
    }
    if (length > 255) this.charge(length >> 8);
  }
}

/** Creates the error of a failed evaluation; the caller decides what a failure means (a condition counts as false). */
export function failure(message: string, site?: Site): CadreError {
  if (site === undefined) return new CadreError('CONDITION_FAILED', message);
  const { source, start, end } = site;
  return new CadreError('CONDITION_FAILED', `${message}, in \`${snippet(source, start, end)}\``, {
    details: { source, start, end },
  });
}

function snippet(source: string, start: number, end: number): string {
  const text = source.slice(start, end);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
