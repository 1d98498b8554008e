import type { JsonObject } from '../../../core/json.ts';
import { actionSchemas, shape } from '../../reach/action-schemas.ts';

const forks = { type: 'boolean', description: 'Include all forks of the run, and their forks.' };

const forkEdits = [
  shape({ type: { const: 'message' }, itemId: { type: 'string', minLength: 1 }, payload: {} }, ['type', 'itemId', 'payload']),
  shape(
    {
      type: { const: 'result' },
      callId: { type: 'string', minLength: 1 },
      content: { type: 'string' },
      isError: { type: 'boolean' },
    },
    ['type', 'callId', 'content'],
  ),
  shape(
    { type: { const: 'state' }, path: { type: 'string', minLength: 1 }, value: {}, agentId: { type: 'string', minLength: 1 } },
    ['type', 'path'],
  ),
];

/** JSON Schemas of the bodies of requests that change something, for validation and for the API's description. */
export const bodySchemas = {
  launch: shape(
    {
      profile: { type: 'string', minLength: 1, maxLength: 200, description: 'The profile to begin with; see /api/info.' },
      input: {
        description: 'Input of the first agent: a text, content parts, or a whole payload with attachments.',
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', minItems: 1, items: { type: 'object' } },
          { type: 'object', minProperties: 1 },
        ],
      },
      title: { type: 'string', maxLength: 200 },
      project: { type: 'string', minLength: 1, maxLength: 100, description: 'Project of the run.' },
      request: {
        type: 'object',
        maxProperties: 100,
        description:
          'Values of this request, by name: `request` of conditions and texts, `${NAME}` of settings. On record: no credentials.',
      },
      limits: {
        type: 'object',
        additionalProperties: { type: 'number' },
        description: 'Limits of the run, such as turns, tokens, costUsd, wallMs.',
      },
      llmConfig: { type: 'string', minLength: 1, maxLength: 200, description: "An LLM config instead of every profile's own." },
    },
    ['input'],
  ),
  message: actionSchemas.send,
  approve: actionSchemas.approve,
  reject: actionSchemas.reject,
  answer: actionSchemas.answer,
  note: actionSchemas.note,
  cancel: actionSchemas.cancel,
  profiles: actionSchemas.profiles,
  modules: actionSchemas.modules,
  resume: shape({
    profiles: {
      enum: ['recorded', 'current'],
      description: 'The profiles recorded in the run (default), or the current ones of the server.',
    },
  }),
  rename: shape({ title: { type: ['string', 'null'], maxLength: 200, description: 'null: the original title.' } }, ['title']),
  move: shape({ project: { type: ['string', 'null'], maxLength: 100, description: 'null: out of its current project.' } }, [
    'project',
  ]),
  remove: shape({ forks }),
  restore: shape({ forks }),
  renameProject: shape({ from: { type: 'string', maxLength: 100 }, to: { type: 'string', maxLength: 100 } }, ['from', 'to']),
  tests: shape({}),
  fork: shape({
    at: { type: 'integer', minimum: 1, description: 'The sequence number to fork at, rounded down to the end of a turn.' },
    before: { type: 'string', minLength: 1, maxLength: 200, description: 'The turn that the fork takes again, instead of `at`.' },
    profiles: {
      enum: ['recorded', 'current'],
      description: 'The profiles recorded in the run (default), or the current ones of the server.',
    },
    llmConfig: { type: 'string', minLength: 1, maxLength: 200, description: "An LLM config instead of every profile's own." },
    edits: { type: 'array', maxItems: 100, items: { oneOf: forkEdits }, description: 'What the fork begins with instead.' },
  }),
} as const satisfies Readonly<Record<string, JsonObject>>;
