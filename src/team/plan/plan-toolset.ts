import type { JsonObject } from '../../core/json.ts';
import { readPlanBook, stepMarks } from '../../core/team/plan.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTransitionTool } from '../../tools/define-transition-tool.ts';
import { changePlans } from './change-plans.ts';

/** Plans whose steps are marked as work proceeds, one set per agent or one for the team. */
export const planToolset: ToolsetKind = {
  kind: 'plan',
  description: 'Keeps plans with steps and their statuses in the state of the agent, or of the team.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      scope: {
        enum: ['agent', 'team'],
        description: 'Whose plans they are: each agent has its own (usual), or the team shares them.',
      },
    },
  },
  tools: ['manage_plan'],
  create: (request) => ({ tools: [managePlan(request)] }),
};

const parameters: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['command'],
  properties: {
    command: { enum: ['create', 'update', 'list', 'get', 'set_active', 'mark_step', 'delete'] },
    plan_id: { type: 'string', pattern: '^[a-zA-Z][\\w-]{0,63}$', description: 'Which plan; the active one when left out.' },
    title: { type: 'string', minLength: 1, maxLength: 300, description: 'create, update' },
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: 'string', minLength: 1, maxLength: 1_000 },
      description: 'create, update: all steps in order. In update, a step whose text at its place is unchanged keeps its status.',
    },
    step: { type: 'integer', minimum: 1, description: 'mark_step: its number, as the plan shows it.' },
    step_status: { enum: Object.keys(stepMarks), description: 'mark_step' },
    step_notes: { type: 'string', maxLength: 2_000, description: 'mark_step: what there is to know about it.' },
  },
};

function managePlan({ name, settings, toolName }: ToolsetRequest): TransitionTool {
  const scope = settings['scope'] === 'team' ? 'team' : 'agent';
  return defineTransitionTool({
    name: toolName('manage_plan'),
    toolset: name,
    effect: 'idempotent',
    by_name_only: true,
    description:
      'Keeps plans of what is to be done. Commands: create (title, steps), update (title or steps), mark_step (step, step_status, step_notes), get, list, ' +
      'set_active and delete (plan_id). Mark a step in_progress before you begin with it, and completed when it is done.',
    parameters,
    run: (args, { run, agent, change }) => {
      const known = scope === 'team' ? run.team.taint.get('team.shared.plans') : agent.stateTaint.get('values.plans');
      // Its own words are no news to an agent.
      const taint = known === undefined || (scope === 'agent' && known.said === true) ? [] : known.labels;
      const book = readPlanBook(scope === 'team' ? run.team.shared['plans'] : agent.values['plans']);
      const { text, book: changed } = changePlans(book, args);
      if (changed === undefined) return { kind: 'result', content: text, taint };
      const events = change((draft) => {
        (scope === 'team' ? draft.team.shared : draft.values)['plans'] = changed;
      });
      return { kind: 'result', content: text, events, taint };
    },
  });
}
