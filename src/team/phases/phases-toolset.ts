import type { ToolsetKind } from '../../core/tool/toolset.ts';
import { runPlan } from './run-plan.ts';

/** Plans that the engine executes: phases in sequence or in parallel, each by a separate agent. */
export const phasesToolset: ToolsetKind = {
  kind: 'phases',
  description: 'Carries out plans: phases in order or side by side, each done by an agent of a profile that the caller may call.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      default_executor: {
        type: 'string',
        minLength: 1,
        'x-names': ['profiles'],
        description: 'The profile that does phases which name no worker; the first of callable_profiles when left out.',
      },
      max_parallel: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'Most workers of one agent at work at the same time; 8 when left out, 1 for one phase at a time.',
      },
      max_phases: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'Most phases of one agent, over all of its plans; 50 when left out.',
      },
      max_plans: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'Most plans of one agent: the first one, and those that follow it up; 5 when left out.',
      },
      on_failure: {
        enum: ['stop', 'continue'],
        description: 'After a phase fails: start no other phase (default), or continue with those that do not depend on it.',
      },
      show_plan: {
        type: 'boolean',
        description: 'Whether workers are shown the whole plan with where it stands; else each sees its own phase.',
      },
      ends: {
        enum: ['never', 'on_success', 'always'],
        description: 'Whether the agent that planned ends with its plan: never (usual), when all phases succeeded, or always.',
      },
    },
  },
  tools: ['run_plan'],
  create: (request) => ({ tools: [runPlan(request)] }),
};
