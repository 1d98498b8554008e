import type { CadreEvent } from '../core/events/event.ts';
import { checkAgents } from './check-agents.ts';
import { checkCalls } from './check-calls.ts';
import { checkInboxes } from './check-inboxes.ts';
import { checkQuiet } from './check-quiet.ts';
import { checkSequence } from './check-sequence.ts';
import { checkTurns } from './check-turns.ts';
import type { JournalCheck, JournalFacts, JournalProblem } from './journal-problem.ts';
import { checkBudgets } from './check-budgets.ts';
import { checkContext } from './check-context.ts';

const checks: readonly JournalCheck[] = [
  checkSequence,
  checkAgents,
  checkTurns,
  checkInboxes,
  checkCalls,
  checkBudgets,
  checkContext,
];

/** Facts and options for checking a journal. */
export interface JournalCheckOptions extends JournalFacts {
  /** The run has settled, so no agent that could continue may have items to read. True by default. */
  readonly settled?: boolean;
}

/**
 * Checks a run's events against the engine's invariants, as far as events show them: I1 to I6, I8, I9, I12, and the life of turns,
 * calls, agents and modules. It reads only events and shares no code with the fold, so it also finds mistakes of the fold. Every
 * prefix of a journal must pass, too (with `settled: false`). An empty list means that no invariant is broken.
 */
export function checkJournal(events: readonly CadreEvent[], options: JournalCheckOptions = {}): readonly JournalProblem[] {
  const problems = checks.flatMap((check) => check(events, options));
  if (options.settled !== false) problems.push(...checkQuiet(events));
  return problems.sort((a, b) => a.seq - b.seq);
}

/** Throws with every problem, and the events around the first, unless a journal keeps all invariants. */
export function assertJournal(events: readonly CadreEvent[], options: JournalCheckOptions = {}): void {
  const problems = checkJournal(events, options);
  const [first] = problems;
  if (first === undefined) return;
  const list = problems.map(({ invariant, seq, message }) => `  ${invariant} at ${seq}: ${message}`).join('\n');
  const around = events
    .filter(({ seq }) => Math.abs(seq - first.seq) <= 4)
    .map((event) => `  ${JSON.stringify(event).slice(0, 240)}`)
    .join('\n');
  throw new Error(`the journal breaks ${problems.length} invariant(s):\n${list}\naround event ${first.seq}:\n${around}`);
}
