import type { JsonObject } from '../../../core/json.ts';
import { actionSchemas, shape } from '../../reach/action-schemas.ts';

const forks = { type: 'boolean', description: 'With all forks of it, and of those.' };

/** The bodies of requests that change something, as JSON Schema: what is checked, and what the API's description says. */
export const bodySchemas = {
  launch: shape(
    {
      profile: { type: 'string', minLength: 1, maxLength: 200, description: 'The profile to begin with; see /api/info.' },
      input: {
        description: 'What the first agent is to read: a text, content parts, or a whole payload with attachments.',
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', minItems: 1, items: { type: 'object' } },
          { type: 'object', minProperties: 1 },
        ],
      },
      title: { type: 'string', maxLength: 200 },
      project: { type: 'string', minLength: 1, maxLength: 100, description: 'The project it is put into.' },
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
      description: 'The profiles the run went by (default), or those of the server today.',
    },
  }),
  rename: shape({ title: { type: ['string', 'null'], maxLength: 200, description: 'null: the title it had.' } }, ['title']),
  move: shape({ project: { type: ['string', 'null'], maxLength: 100, description: 'null: out of the one it is in.' } }, [
    'project',
  ]),
  remove: shape({ forks }),
  restore: shape({ forks }),
  renameProject: shape({ from: { type: 'string', maxLength: 100 }, to: { type: 'string', maxLength: 100 } }, ['from', 'to']),
  fork: shape({
    at: { type: 'integer', minimum: 1, description: 'The sequence number to fork at, rounded down to the end of a turn.' },
  }),
} as const satisfies Readonly<Record<string, JsonObject>>;
