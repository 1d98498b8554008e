import type { JsonObject } from '../../core/json.ts';

/** Returns the schema of a plan's arguments for a planner with these workers; any name is valid when none are known yet. */
export function planParameters(workers: readonly string[]): JsonObject {
  const worker: JsonObject = { type: 'string', ...(workers.length === 0 ? {} : { enum: workers }) };
  const several = (description: string): JsonObject => ({ type: 'array', maxItems: 50, items: worker, description });
  return {
    type: 'object',
    properties: {
      goal: { type: 'string', description: 'What the plan as a whole is for; every worker reads it.' },
      phases: {
        type: 'array',
        maxItems: 100,
        description: 'The phases in order. Each begins when the one before it has succeeded.',
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 300, description: 'A short name; no two phases have the same.' },
            worker: {
              ...worker,
              description: 'Who does it. When left out: whom the text names as [worker], else the usual one.',
            },
            parallel_workers: several('Several workers that all do this phase, at the same time.'),
            goals: {
              type: 'string',
              description: 'What is to be done, and what to hand in. The worker sees nothing of your conversation.',
            },
            notes: { type: 'string', description: 'What else the worker should know.' },
            depends_on: {
              type: 'array',
              items: { type: 'string' },
              description:
                'Names of earlier phases that must have succeeded, in place of the one before; their results are handed on. [] begins at once.',
            },
          },
        },
      },
      parallel_workers: several('Workers that all get the goal itself, at the same time and before any phase.'),
    },
  };
}
