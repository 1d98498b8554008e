import type { CadreEvent } from '../core/events/event.ts';

/** An invariant of the engine that an event list violates. */
export interface JournalProblem {
  /** Number of the invariant (AGENTS.md lists them), or `order`, `life`, `team` or `limits` for rules without one. */
  readonly invariant: string;
  /** Sequence number of the event that shows it. */
  readonly seq: number;
  readonly message: string;
}

/** Facts that a journal does not contain and some checks need. */
export interface JournalFacts {
  /** Priorities that profiles give to sources, replacing the global ones. */
  readonly priorities?: Readonly<Record<string, number>>;
  /** Tools whose calls may be repeated after a crash; all others may run only once (I5). */
  readonly repeatable?: ReadonlySet<string>;
}

/** One part of the check, over the whole list. */
export type JournalCheck = (events: readonly CadreEvent[], facts: JournalFacts) => readonly JournalProblem[];

/** Collects the problems of one check. */
export class Findings {
  readonly problems: JournalProblem[] = [];
  #seq = 0;

  /** Moves to an event, the one that further problems are about. */
  at({ seq }: { readonly seq: number }): void {
    this.#seq = seq;
  }

  /** Notes a problem of the current event unless the statement holds. */
  expect(holds: boolean, invariant: string, message: string): void {
    if (!holds) this.problems.push({ invariant, seq: this.#seq, message });
  }
}
