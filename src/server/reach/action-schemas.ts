import { CadreError, type ErrorCode } from '../../core/error.ts';
import { isJsonObject, type JsonObject, isDeeperThan } from '../../core/json.ts';
import { editSchemas } from '../../engine/launch/edit-schemas.ts';
import { checkSchema } from '../../tools/schema/check-arguments.ts';
import type { RunAction } from './run-action.ts';

/** Maximum nesting of values from outside. */
const maxDepth = 64;

const id = { type: 'string', minLength: 1, maxLength: 200 };
const ids = { type: 'array', items: id, minItems: 1, maxItems: 100, description: 'Ids of pending requests, as in `pending`.' };

/**
 * JSON Schemas of the fields of each action besides its kind, for files from other processes, HTTP requests and the API's
 * description.
 */
export const actionSchemas = {
  send: shape(
    {
      text: { type: 'string', minLength: 1, maxLength: 1_000_000 },
      to: { ...id, description: 'The id of an agent; the first agent of the run when absent.' },
      priority: {
        enum: ['now', 'next', 'idle'],
        description:
          'next (default): read by the next turn. now: interrupts the reply in progress. idle: read when there is nothing else to read.',
      },
      itemId: {
        type: 'string',
        pattern: '^[A-Za-z0-9_.-]{1,100}$',
        description: 'An id of your choice: a message sent again with it is not posted again.',
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
          'Fingerprint of the request as shown, to be checked beside its id, which names it already. For one call at a time.',
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
      content: { type: 'string', maxLength: 20_000, description: 'Text for every prompt of the agents; empty removes the note.' },
      agent: { ...id, description: 'The id of an agent, or the name of a profile; all agents of the run when absent.' },
    },
    ['title', 'content'],
  ),
  cancel: shape({
    reason: { type: 'string', maxLength: 1_000 },
    agentId: { ...id, description: 'This agent and everything below it, instead of the run.' },
    moduleId: { ...id, description: 'The agents that work on this module, instead of the run.' },
  }),
  profiles: shape({ edits: editSchemas.profiles }, ['edits']),
  modules: shape({ actions: editSchemas.modules }, ['actions']),
} as const satisfies Readonly<Record<RunAction['kind'], JsonObject>>;

/** Returns the schema of an object with these fields and no others. */
export function shape(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
}

/** Name of the checked value in messages, and code of the error, by default `OPTION_INVALID`. */
export interface ShapeError {
  readonly what: string;
  readonly code?: ErrorCode;
}

/**
 * Checks that a value fits its schema and is not nested too deeply.
 *
 * @throws CadreError with the given code, naming the faulty places and the allowed values
 */
export function assertShape(
  schema: JsonObject,
  value: unknown,
  { what, code = 'OPTION_INVALID' }: ShapeError,
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
 * Reads an action of one kind from untrusted fields.
 *
 * @throws CadreError with the given code, as `assertShape`
 */
export function readAction<Kind extends RunAction['kind']>(
  kind: Kind,
  fields: unknown,
  error: ShapeError,
): Extract<RunAction, { kind: Kind }> {
  assertShape(actionSchemas[kind], fields, error);
  // The schema guarantees the fields of this kind.
  return { ...fields, kind } as unknown as Extract<RunAction, { kind: Kind }>;
}

/** True when a text is the kind of an action. */
export function isActionKind(kind: unknown): kind is RunAction['kind'] {
  return typeof kind === 'string' && Object.hasOwn(actionSchemas, kind);
}
