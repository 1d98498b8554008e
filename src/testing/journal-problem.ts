import type { CadreEvent } from '../core/events/event.ts';

/** An invariant of the engine that an event list does not keep. */
export interface JournalProblem {
  /** The invariant's number in DESIGN 2, or `order`, `life` `team` and `limits` for what goes without one. */
  readonly invariant: string;
  /** The sequence number of the event that shows it. */
  readonly seq: number;
  readonly message: string;
}

/** What a journal does not say of itself and some checks want to know. */
export interface JournalFacts {
  /** Priorities that profiles give to sources, in place of the global ones. */
  readonly priorities?: Readonly<Record<string, number>>;
  /** Tools whose calls may be repeated after a crash; all others may run once only (I5). */
  readonly repeatable?: ReadonlySet<string>;
}

/** One part of the check: looks at the whole list on its own. */
export type JournalCheck = (events: readonly CadreEvent[], facts: JournalFacts) => readonly JournalProblem[];

/** Collects the problems of one check. */
export class Findings {
  readonly problems: JournalProblem[] = [];

  /** Notes a problem unless the statement holds. */
  expect(holds: boolean, invariant: string, event: { readonly seq: number }, message: string): void {
    if (!holds) this.problems.push({ invariant, seq: event.seq, message });
  }
}
