import { type JsonValue, isJsonObject } from '../../core/json.ts';
import type { LoopPlanner, PlannerStep } from '../../core/profile/planner.ts';
import { failure, failureText, lastResults, type PlannerDecision, type PlanView } from './plan.ts';
import type { PlannedResult } from './planner-memory.ts';

/**
 * Repeats its steps until `until` holds, at most so many times. An iteration in which a step fails in a way that passes is
 * followed by the next one; any other failure, and one in the last iteration, is the failure of the plan.
 */
export function planByLoop(planner: LoopPlanner, view: PlanView): PlannerDecision {
  const { steps, maxIterations, recoverFrom } = planner;
  const [last] = lastResults(view.memory);
  const at = steps.findIndex(({ id }) => id === last?.id);
  const made = steps[at];
  if (last === undefined || made === undefined) return nextStep(planner, 0, 1, view);
  const { iteration } = last;
  if (isFailed(planner, made, last, view)) {
    const words = `step '${made.id}' failed in iteration ${iteration} of ${maxIterations}: ${last.ok ? 'its result is not what was expected' : failureText(last)}`;
    const passes = last.ok || recoverFrom.includes(last.error?.code ?? '') || recoverFrom.includes(last.status);
    if (iteration >= maxIterations || !passes) return failure(words, words);
    return nextStep(planner, 0, iteration + 1, view, `${words}; it passes`);
  }
  return nextStep(planner, at + 1, iteration, view);
}

function scopeOf({ maxIterations }: LoopPlanner, iteration: number, view: PlanView): ReturnType<PlanView['scope']> {
  return view.scope({ iteration, max_iterations: maxIterations });
}

function isFailed(planner: LoopPlanner, step: PlannerStep, result: PlannedResult, view: PlanView): boolean {
  return !result.ok || step.expect?.test(scopeOf(planner, result.iteration, view)) === false;
}

function nextStep(planner: LoopPlanner, from: number, iteration: number, view: PlanView, note = ''): PlannerDecision {
  const scope = scopeOf(planner, iteration, view);
  const { steps, maxIterations } = planner;
  const step = steps.find((candidate, index) => index >= from && candidate.condition?.test(scope) !== false);
  const why = `${note === '' ? '' : `${note}; `}iteration ${iteration} of ${maxIterations}`;
  if (step === undefined) return endOfIteration(planner, iteration, view, why);
  const { args, shown } = view.args(step, scope);
  const call = { id: step.id, iteration, tool: step.tool, args: withAgent(step, args, view) };
  const calls = [shown === undefined ? call : { ...call, shown: withAgent(step, shown, view) }];
  return { kind: 'call', calls, why: `${why}, step '${step.id}'` };
}

/** Adds the agent that ran this step before to the arguments, so that it continues; a failed agent is not reused. */
function withAgent(step: PlannerStep, args: JsonValue, { memory }: PlanView): JsonValue {
  if (!step.keepsAgent || !isJsonObject(args)) return args;
  const before = memory.turns.flat().findLast(({ id }) => id === step.id);
  return before?.agent_id == null || !before.ok ? args : { ...args, agent_id: before.agent_id };
}

function endOfIteration(planner: LoopPlanner, iteration: number, view: PlanView, why: string): PlannerDecision {
  const { until, answer, maxIterations, otherwise } = planner;
  const scope = scopeOf(planner, iteration, view);
  const [last] = lastResults(view.memory);
  if (until.test(scope)) {
    const text = answer === undefined ? (last?.content ?? '') : view.fill(answer, scope);
    return { kind: 'say', text, why: `${why}: '${until.source}' holds` };
  }
  if (iteration < maxIterations) return nextStep(planner, 0, iteration + 1, view, `${why}: '${until.source}' does not hold`);
  if (otherwise?.kind === 'say') return { kind: 'say', text: view.fill(otherwise.text, scope), why: `${why}, the last` };
  if (otherwise?.kind === 'fail') return failure(view.fill(otherwise.message, scope), `${why}, the last`);
  return failure(`'${until.source}' did not hold after ${maxIterations} iterations`, `${why}, the last`);
}
