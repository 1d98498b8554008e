import { CadreError, describeThrown } from '../../core/error.ts';

/** One thing that `cadre doctor` looked at. */
export interface Finding {
  /** What was looked at, such as `Node` or `LLM config default`. */
  readonly what: string;
  /** `problem`: something that runs of this project need does not work. `note`: it works, and there is something to know. */
  readonly status: 'ok' | 'note' | 'problem';
  readonly found: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** Returns a finding that all is well. */
export function ok(what: string, found: string): Finding {
  return { what, status: 'ok', found };
}

/** Returns a finding of something to know. */
export function note(what: string, found: string, todo?: string): Finding {
  return { what, status: 'note', found, ...(todo === undefined ? {} : { todo }) };
}

/** Returns a finding of something that does not work, and what to do about it. */
export function problem(what: string, found: string, todo?: string): Finding {
  return { what, status: 'problem', found, ...(todo === undefined ? {} : { todo }) };
}

/** Converts a thrown error, which says what to do, to a finding. */
export function failed(what: string, thrown: unknown): Finding {
  return problem(what, thrown instanceof CadreError ? thrown.message : describeThrown(thrown));
}
