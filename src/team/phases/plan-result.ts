import { aggregateResults, type WorkerResult } from '../../core/team/aggregate-results.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { clipDeliverables } from '../reports/clip-deliverables.ts';
import { clipText } from '../reports/clip-text.ts';
import { assignmentVerdict, endingOf } from '../dispatch/settle-assignment.ts';
import { textOf } from '../reports/text-of.ts';
import { type MemoStep, type PlanMemo, type StepState, stepState } from './plan-memo.ts';

/** Characters for the deliverables of all steps in a result; divided equally. */
const deliverableBudget = 96_000;
const maxError = 4_000;

/** Status of a finished plan: `partial` when some of its steps succeeded, `failed` when none did. */
export type PlanStatus = 'success' | 'partial' | 'failed';

/** Result of a finished plan. */
export interface PlanResult {
  readonly status: PlanStatus;
  /** Counts of steps by result, in a sentence. */
  readonly message: string;
  readonly data: JsonObject;
  /** Deliverables of the planning agent when it ends with its plan. */
  readonly deliverables: JsonObject;
}

/** Builds the result of a plan: each step with its state (B.65), and the workers' deliverables merged (B.67). */
export function planResult({ steps }: PlanMemo, run: RunContext): PlanResult {
  const states = steps.map((step) => stepState(step, run));
  const count = (state: StepState): number => states.filter((other) => other === state).length;
  const succeeded = count('completed');
  const status = succeeded === steps.length ? 'success' : succeeded === 0 ? 'failed' : 'partial';
  const others = [
    [count('failed'), 'failed'],
    [count('cancelled'), 'cancelled'],
    [count('waiting'), 'not begun'],
  ] as const;
  const rest = others.flatMap(([number, word]) => (number === 0 ? [] : [`, ${number} ${word}`])).join('');
  const message = `${succeeded} of ${steps.length} phases succeeded${rest}.`;
  const share = Math.floor(deliverableBudget / steps.length);
  const results = steps.flatMap((step, index) => (states[index] === 'completed' ? [resultOf(step, run, share)] : []));
  const { summary, ...together } = aggregateResults(results);
  const phases = steps.map((step, index) => phaseRecord(step, states[index] ?? 'waiting', run));
  return {
    status,
    message,
    data: { status, message, summary, phases, results: { ...together } },
    deliverables: { primary_summary: summary === '' ? message : summary, ...together },
  };
}

function resultOf(step: MemoStep, run: RunContext, max: number): WorkerResult {
  const deliverables = clipDeliverables(deliverablesOf(step, run), max);
  const { primary_summary: summary, ...more } = deliverables;
  const isBare = typeof summary === 'string' && Object.keys(more).length === 0;
  return {
    worker: run.team.workModules[step.moduleId]?.executor ?? '',
    operation: step.phase,
    summary: textOf(summary),
    // Text without data becomes the result; beside a table or other data it becomes their summary.
    result: isBare ? summary : more,
  };
}

function deliverablesOf({ moduleId, agentId }: MemoStep, run: RunContext): JsonObject {
  const agent = agentId === undefined ? undefined : run.agents.get(agentId);
  if (agent === undefined) return run.team.workModules[moduleId]?.deliverables ?? {};
  return assignmentVerdict(agent, endingOf(agent)).deliverables;
}

function phaseRecord(step: MemoStep, state: StepState, run: RunContext): JsonObject {
  const module = run.team.workModules[step.moduleId];
  const error = errorOf(step, run);
  return {
    name: module?.name ?? step.phase,
    module_id: step.moduleId,
    worker: module?.executor ?? '',
    status: state === 'waiting' ? 'not_started' : state,
    ...(step.agentId === undefined ? {} : { agent_id: step.agentId }),
    ...(error === undefined ? {} : { error: clipText(error, maxError) }),
  };
}

function errorOf({ agentId, problem }: MemoStep, run: RunContext): string | undefined {
  if (problem !== undefined) return problem;
  const agent = agentId === undefined ? undefined : run.agents.get(agentId);
  if (agent?.status !== 'ended') return undefined;
  const details = assignmentVerdict(agent, endingOf(agent)).errorDetails;
  return details === null ? undefined : `${textOf(details['outcome'])}: ${textOf(details['message'])}`;
}
