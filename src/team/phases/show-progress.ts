import { stepMarks } from '../../core/team/plan.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { type PlanMemo, type StepState, stepState } from './plan-memo.ts';

const marks: Readonly<Record<StepState, string>> = {
  waiting: stepMarks.not_started,
  running: stepMarks.in_progress,
  completed: stepMarks.completed,
  failed: stepMarks.blocked,
  cancelled: stepMarks.blocked,
};

/** Renders a plan for its workers: steps in order, with status marks; those that begin now are marked as in progress. */
export function showProgress({ steps }: PlanMemo, beginning: readonly string[], run: RunContext): string {
  const lines = steps.map((step, index) => {
    const mark = beginning.includes(step.moduleId) ? marks.running : marks[stepState(step, run)];
    return `${index + 1}. ${mark} ${run.team.workModules[step.moduleId]?.name ?? step.phase}`;
  });
  return ['The whole plan:', ...lines].join('\n');
}
