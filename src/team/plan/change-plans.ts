import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { isStepStatus, showPlan, stepMarks, type Plan, type PlanBook, type PlanStep } from '../../core/team/plan.ts';

/** Result of a `manage_plan` command: the text for the model, and the new plans if they changed. */
export interface PlanOutcome {
  readonly text: string;
  readonly book?: PlanBook;
}

const maxPlans = 20;

/**
 * Applies a command to the plans (A2.3): create, update, list, get, set_active, mark_step, delete.
 *
 * @throws CadreError `TOOL_FAILED` saying which plans or steps there are
 */
export function changePlans(book: PlanBook, args: JsonObject): PlanOutcome {
  switch (args['command']) {
    case 'create':
      return create(book, args);
    case 'update': {
      const { id, plan } = chosen(book, args);
      const { steps, title } = args;
      const changed = {
        title: textOf(title) ?? plan.title,
        steps: textsOf(steps) === undefined ? plan.steps : mergeSteps(plan.steps, textsOf(steps) ?? []),
      };
      return put(book, id, changed, 'Updated.');
    }
    case 'mark_step':
      return markStep(book, args);
    case 'set_active': {
      const { id, plan } = chosen(book, args, true);
      return { text: `${id} is the active plan now.\n\n${showPlan(id, plan)}`, book: { ...book, active: id } };
    }
    case 'get': {
      const { id, plan } = chosen(book, args);
      return { text: showPlan(id, plan) };
    }
    case 'list':
      return { text: listPlans(book) };
    case 'delete': {
      const { id } = chosen(book, args, true);
      const { [id]: _gone, ...plans } = book.plans;
      return { text: `Deleted ${id}.`, book: { active: book.active === id ? null : book.active, plans } };
    }
    default:
      throw failed(
        `command ${JSON.stringify(args['command'])} is none of create, update, list, get, set_active, mark_step, delete.`,
      );
  }
}

function create(book: PlanBook, args: JsonObject): PlanOutcome {
  const id = textOf(args['plan_id']) ?? freeId(book);
  const steps = textsOf(args['steps']) ?? [];
  const title = textOf(args['title']);
  if (Object.hasOwn(book.plans, id)) throw failed(`There is a plan ${id} already; update it, or choose another plan_id.`);
  if (title === undefined || steps.length === 0) throw failed('create needs a title and steps.');
  if (Object.keys(book.plans).length >= maxPlans)
    throw failed(`There are ${maxPlans} plans, and no more are kept; delete one first.`);
  return put({ ...book, active: id }, id, { title, steps: mergeSteps([], steps) }, 'Created; it is the active plan now.');
}

function freeId({ plans }: PlanBook): string {
  let number = Object.keys(plans).length + 1;
  while (Object.hasOwn(plans, `plan_${number}`)) number += 1;
  return `plan_${number}`;
}

/** Keeps the status of steps whose text at that index is unchanged; resets all others. */
function mergeSteps(before: readonly PlanStep[], texts: readonly string[]): readonly PlanStep[] {
  return texts.map((text, index) => {
    const known = before[index];
    return known?.text === text ? known : { text, status: 'not_started', notes: '' };
  });
}

function markStep(book: PlanBook, args: JsonObject): PlanOutcome {
  const { id, plan } = chosen(book, args);
  const { step, step_status: status, step_notes: notes } = args;
  const index = typeof step === 'number' ? step - 1 : -1;
  const known = plan.steps[index];
  if (known === undefined) throw failed(`${id} has steps 1 to ${plan.steps.length}; give one of them as step.`);
  if (status !== undefined && !isStepStatus(status))
    throw failed(`step_status must be one of ${Object.keys(stepMarks).join(', ')}.`);
  const marked = { ...known, status: status ?? known.status, notes: textOf(notes) ?? known.notes };
  return put(book, id, { ...plan, steps: plan.steps.with(index, marked) }, `Step ${index + 1} is marked.`);
}

function put(book: PlanBook, id: string, plan: Plan, said: string): PlanOutcome {
  return { text: `${said}\n\n${showPlan(id, plan)}`, book: { ...book, plans: { ...book.plans, [id]: plan } } };
}

/** Returns the plan that a command names, otherwise the active one. */
function chosen(book: PlanBook, args: JsonObject, mustName = false): { readonly id: string; readonly plan: Plan } {
  const id = textOf(args['plan_id']) ?? (mustName ? null : book.active);
  if (id === null)
    throw failed(`${mustName ? 'Give plan_id' : 'There is no active plan; give plan_id, or create one'}. ${listPlans(book)}`);
  const plan = Object.hasOwn(book.plans, id) ? book.plans[id] : undefined;
  if (plan === undefined) throw failed(`There is no plan ${id}. ${listPlans(book)}`);
  return { id, plan };
}

function listPlans({ active, plans }: PlanBook): string {
  const lines = Object.entries(plans).map(([id, { title, steps }]) => {
    const done = steps.filter(({ status }) => status === 'completed').length;
    return `- ${id}${id === active ? ' (active)' : ''}: ${title}, ${done} of ${steps.length} steps`;
  });
  return lines.length === 0 ? 'There are no plans.' : `Plans:\n${lines.join('\n')}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}
