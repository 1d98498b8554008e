import { CadreError, type ErrorCode } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { isDeeperThan } from '../../core/json-depth.ts';
import { editSchemas } from '../../engine/launch/edit-schemas.ts';
import { checkSchema } from '../../tools/schema/check-arguments.ts';
import type { RunAction } from './run-action.ts';

/** Deepest nesting of what comes from outside. */
const maxDepth = 64;

const id = { type: 'string', minLength: 1, maxLength: 200 };
const ids = { type: 'array', items: id, minItems: 1, maxItems: 100, description: 'What waits, as `pending` names it.' };

/**
 * What each action is given besides its kind, as JSON Schema: what files from other processes, requests over HTTP and the API's
 * description hold to.
 */
export const actionSchemas = {
  send: shape(
    {
      text: { type: 'string', minLength: 1, maxLength: 1_000_000 },
      to: { ...id, description: 'The id of an agent; the first agent of the run when absent.' },
      priority: {
        enum: ['now', 'next', 'idle'],
        description: 'next (default): read by the next turn. now: interrupts what is being said. idle: read when nothing else is.',
      },
      itemId: {
        type: 'string',
        pattern: '^[A-Za-z0-9_.-]{1,100}$',
        description: 'An id of your own: what is sent again under it is not posted again.',
      },
    },
    ['text'],
  ),
  approve: shape(
    {
      ids,
      args: { type: 'object', description: 'Run the call with these arguments, all of them. For one call at a time.' },
      always: { type: 'boolean', description: 'Allow all calls of the tool that the same gate asks about, until the run ends.' },
      fingerprint: {
        type: 'string',
        pattern: '^[\\w-]{1,100}$',
        description:
          'Of the request as it was shown: when what it agrees to has changed since, it is refused. For one call at a time.',
      },
    },
    ['ids'],
  ),
  reject: shape({ ids, message: { type: 'string', maxLength: 10_000, description: 'Why; the model reads it.' } }, ['ids']),
  answer: shape({ id, value: { description: "What the question's schema asks for." } }, ['id', 'value']),
  note: shape(
    {
      title: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'A note with this title, for the same agents, is replaced.',
      },
      content: { type: 'string', maxLength: 20_000, description: 'What agents are to know always; empty takes the note away.' },
      agent: { ...id, description: 'The id of an agent, or the name of a profile; all agents of the run when absent.' },
    },
    ['title', 'content'],
  ),
  cancel: shape({
    reason: { type: 'string', maxLength: 1_000 },
    agentId: { ...id, description: 'This agent and everything below it, instead of the run.' },
    moduleId: { ...id, description: 'Whoever works on this module, instead of the run.' },
  }),
  profiles: shape({ edits: editSchemas.profiles }, ['edits']),
  modules: shape({ actions: editSchemas.modules }, ['actions']),
} as const satisfies Readonly<Record<RunAction['kind'], JsonObject>>;

/** An object with these fields and no others. */
export function shape(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
}

/**
 * Refuses a value that does not fit its schema, or is nested too deep, in words that say where and what is allowed.
 *
 * @throws CadreError `OPTION_INVALID`, or the code that is given
 */
export function assertShape(
  schema: JsonObject,
  value: unknown,
  what: string,
  code: ErrorCode = 'OPTION_INVALID',
): asserts value is JsonObject {
  if (!isJsonObject(value)) throw new CadreError(code, `${what} must be a JSON object`);
  if (isDeeperThan(value, maxDepth))
    throw new CadreError(code, `${what} is nested deeper than ${maxDepth} levels; send it flatter`);
  const checked = checkSchema(schema, value);
  if (checked.ok) return;
  const problems = checked.errors.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
  throw new CadreError(code, `${what}: ${problems.join('; ')}`, { details: { problems: checked.errors } });
}

/**
 * Reads an action of one kind from what came from outside.
 *
 * @throws CadreError `OPTION_INVALID`, or the code that is given, naming what is wrong and what is allowed
 */
export function readAction<Kind extends RunAction['kind']>(
  kind: Kind,
  fields: unknown,
  what: string,
  code?: ErrorCode,
): Extract<RunAction, { kind: Kind }> {
  assertShape(actionSchemas[kind], fields, what, code);
  // The schema of the kind holds: these are its fields.
  return { ...fields, kind } as unknown as Extract<RunAction, { kind: Kind }>;
}

/** Tells whether a text is the kind of an action. */
export function isActionKind(kind: unknown): kind is RunAction['kind'] {
  return typeof kind === 'string' && Object.hasOwn(actionSchemas, kind);
}
