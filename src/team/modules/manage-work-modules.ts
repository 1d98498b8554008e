import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import type { JsonObject } from '../../core/json.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { ModuleStatus } from '../../core/team/work-module.ts';
import { sourcesOfNames } from '../../core/untrusted/scope-origins.ts';
import { applyModuleActions, moduleActionsOf, planPlace, type ModuleAction } from './module-actions.ts';
import { withModules } from './modules-after.ts';
import { teamTool } from '../team-tool.ts';
import { dataOutcome, refusal } from '../tool-outcome.ts';

const statuses: readonly ModuleStatus[] = ['pending', 'ongoing', 'pending_review', 'completed', 'deprecated'];

const text = (description: string): JsonObject => ({ type: 'string', description });

/** One change of the plan, as JSON Schema. */
export const moduleActionSchema: JsonObject = {
  type: 'object',
  required: ['action'],
  properties: {
    action: { type: 'string', enum: ['create', 'update', 'status_change'] },
    module_id: text('The module to change. Leave it out when creating: ids WM_1, WM_2, … are given in order.'),
    name: text('Short name; needed when creating.'),
    description: text('What is to be done and what counts as done; needed when creating.'),
    notes_from_principal: text('Notes for the agent that works on the module, for example what to do differently in a rework.'),
    depends_on: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of modules that must be completed before this one is dispatched.',
    },
    new_status: {
      type: 'string',
      enum: statuses,
      description:
        'For status_change: pending (open again), completed or deprecated. Dispatch alone sets ongoing and pending_review.',
    },
  },
};

/** Changes of the plan, as JSON Schema. */
export const moduleActionsSchema: JsonObject = {
  type: 'array',
  minItems: 1,
  description: 'Changes to the plan, carried out in order. If one cannot be carried out, none is.',
  items: moduleActionSchema,
};

const parameters: JsonObject = { type: 'object', required: ['actions'], properties: { actions: moduleActionsSchema } };

/** Creates the planning tool: it creates, edits and closes work modules, all changes of a call or none (A1.8, A1.9). */
export function manageWorkModules(): TransitionTool {
  return teamTool({
    name: 'manage_work_modules',
    description:
      'Creates, updates and changes the status of work modules. All actions of a call succeed together or none is carried out.',
    toolset: 'planning_tools',
    effect: 'idempotent',
    parameters,
    run: (args, context) => manage(moduleActionsOf(args), context),
  });
}

function manage(actions: readonly ModuleAction[], context: TransitionContext): TransitionOutcome {
  const result = applyModuleActions(actions, planPlace(context));
  if (!result.ok) {
    return refusal(
      `Failed on action ${result.index} (${actions[result.index]?.action}): ${result.reason}. No action of this call was carried out.`,
    );
  }
  const count = (kind: ModuleAction['action']): number => actions.filter((action) => action.action === kind).length;
  const summary = `${count('create')} created, ${count('update')} updated, ${count('status_change')} changed in status.`;
  const modules = result.touched.map((module) => ({ ...module }));
  const taint = sourcesOfNames(
    withModules(context, result.events).run,
    result.touched.map(({ module_id: id }) => id),
  );
  return { ...dataOutcome({ summary, modules }, result.events), taint };
}
