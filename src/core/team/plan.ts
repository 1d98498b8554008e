import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Status of a step of a plan. */
export type StepStatus = 'not_started' | 'in_progress' | 'completed' | 'blocked';

/** One step of a plan, in the form of state. */
export interface PlanStep extends JsonObject {
  readonly text: string;
  readonly status: StepStatus;
  readonly notes: string;
}

/** A plan, in the form of state. */
export interface Plan extends JsonObject {
  readonly title: string;
  readonly steps: readonly PlanStep[];
}

/** All plans of an agent or a team, and the active one. */
export interface PlanBook extends JsonObject {
  readonly active: string | null;
  readonly plans: Readonly<Record<string, Plan>>;
}

/** Statuses with their marks in a displayed plan (A2.3). */
export const stepMarks: Readonly<Record<StepStatus, string>> = {
  not_started: '[ ]',
  in_progress: '[→]',
  completed: '[✓]',
  blocked: '[!]',
};

/** Reads the plans from state; ignores malformed values. */
export function readPlanBook(value: JsonValue | undefined): PlanBook {
  if (!isJsonObject(value) || !isJsonObject(value['plans'])) return { active: null, plans: {} };
  const plans = Object.entries(value['plans']).flatMap(([id, plan]) => (isJsonObject(plan) ? [[id, readPlan(plan)] as const] : []));
  return { active: typeof value['active'] === 'string' ? value['active'] : null, plans: Object.fromEntries(plans) };
}

function readPlan(plan: Readonly<Record<string, JsonValue | undefined>>): Plan {
  const steps: readonly JsonValue[] = Array.isArray(plan['steps']) ? plan['steps'] : [];
  return {
    title: textOf(plan['title']),
    steps: steps.filter(isJsonObject).map((step) => ({
      text: textOf(step['text']),
      status: isStepStatus(step['status']) ? step['status'] : 'not_started',
      notes: textOf(step['notes']),
    })),
  };
}

/** True when a value is the status of a step. */
export function isStepStatus(value: unknown): value is StepStatus {
  return typeof value === 'string' && Object.hasOwn(stepMarks, value);
}

/** Formats a plan for models and people: title, progress, and a numbered line per step with its mark. */
export function showPlan(id: string, { title, steps }: Plan): string {
  const done = steps.filter(({ status }) => status === 'completed').length;
  const percent = steps.length === 0 ? 0 : Math.round((100 * done) / steps.length);
  const lines = steps.map(
    ({ text, status, notes }, index) => `${index + 1}. ${stepMarks[status]} ${text}${notes === '' ? '' : `\n   Notes: ${notes}`}`,
  );
  return [`Plan ${id}: ${title}`, `Progress: ${done} of ${steps.length} steps (${percent}%)`, ...lines].join('\n');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
