import { toErrorRecord } from '../../core/error.ts';
import type { PlannerMove, PlannerRule, RulesPlanner } from '../../core/profile/planner.ts';
import { callsOf, failure, failureText, lastResults, type PlannerDecision, type PlanView } from './plan.ts';

/** Id of the step taken when no rule holds, and of the step taken instead of a model's. */
const defaultId = 'default';
const fallbackId = 'fallback';

/**
 * Asks the rules of a planner: the first that holds is followed. A rule that has an answer gives it when its calls have ended
 * well; when they have not, the rules behind it are asked, and it is not asked again for this task.
 */
export function planByRules(planner: RulesPlanner, view: PlanView): PlannerDecision {
  const { rules, otherwise, fallback } = planner;
  const moves = [
    ...rules,
    { id: defaultId, move: otherwise },
    ...(fallback === undefined ? [] : [{ id: fallbackId, move: fallback }]),
  ];
  const answered = answerOf(moves, view);
  if (answered !== undefined) return answered;
  const notes: string[] = [];
  for (const rule of rules) {
    const asked = ask(rule, view, notes);
    if (asked !== undefined) return asked;
  }
  return follow({ id: defaultId, move: otherwise }, view, notes);
}

/** Returns the declared plan for a model that named no agent to call; undefined when none is declared. */
export function planFallback(planner: RulesPlanner, view: PlanView, why: string): PlannerDecision | undefined {
  if (planner.fallback === undefined) return undefined;
  return follow({ id: fallbackId, move: planner.fallback }, view, [why]);
}

/** The answer of the move whose calls have just ended well. */
function answerOf(moves: readonly PlannerRule[], view: PlanView): PlannerDecision | undefined {
  const results = lastResults(view.memory);
  const made = moves.find(({ id }) => id === results[0]?.id)?.move;
  if (made?.kind !== 'call' || made.answer === undefined || !results.every(({ ok }) => ok)) return undefined;
  return { kind: 'say', text: view.fill(made.answer), why: `'${results[0]?.id ?? ''}' has its result` };
}

function ask(rule: PlannerRule, view: PlanView, notes: string[]): PlannerDecision | undefined {
  if (hasFailed(rule, view)) {
    notes.push(`'${rule.id}' has failed for this task`);
    return undefined;
  }
  try {
    if (rule.condition?.test(view.scope()) !== false) return follow(rule, view, notes);
    notes.push(`'${rule.id}' does not hold`);
  } catch (thrown) {
    // As for every condition: one that cannot be evaluated does not hold, and the record says why (I12).
    notes.push(`'${rule.id}' cannot be evaluated (${toErrorRecord(thrown, 'CONDITION_FAILED').message})`);
  }
  return undefined;
}

function hasFailed({ id, move }: PlannerRule, { memory }: PlanView): boolean {
  if (move.kind !== 'call' || move.answer === undefined) return false;
  return memory.turns.some((results) => results[0]?.id === id && results.some(({ ok }) => !ok));
}

function follow({ id, move }: PlannerRule, view: PlanView, notes: readonly string[]): PlannerDecision {
  const why = [...notes, `'${id}' is followed`].join('; ');
  switch (move.kind) {
    case 'model':
      return { kind: 'model', why };
    case 'say':
      return { kind: 'say', text: view.fill(move.text), why };
    case 'fail':
      return failure(view.fill(move.message), why);
    case 'call':
      return hasFailed({ id, move }, view) ? failedMove(id, view, why) : callMove(id, move, view, why);
  }
}

function callMove(id: string, move: Extract<PlannerMove, { kind: 'call' }>, view: PlanView, why: string): PlannerDecision {
  return { kind: 'call', calls: callsOf(move.calls, id, view), why };
}

/** Nothing is left to follow but what has failed before. */
function failedMove(id: string, { memory }: PlanView, why: string): PlannerDecision {
  const failed = memory.turns.flat().findLast((result) => result.id === id && !result.ok);
  return failure(failed === undefined ? `'${id}' failed` : failureText(failed), why);
}
