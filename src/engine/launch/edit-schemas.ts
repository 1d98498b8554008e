import { CadreError } from '../../core/error.ts';
import { type JsonObject, type JsonValue, isDeeperThan } from '../../core/json.ts';
import type { ProfileEdit } from '../../core/events/profile-edit.ts';
import { checkSchema } from '../../tools/schema/check-arguments.ts';
import { moduleActionSchema, moduleActionsSchema } from '../../team/modules/manage-work-modules.ts';
import type { ModuleAction } from '../../team/modules/module-actions.ts';

const name: JsonObject = { type: 'string', minLength: 1, maxLength: 100 };
const profile: JsonObject = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 200_000 },
    { type: 'object', minProperties: 1 },
  ],
};

function edit(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** JSON Schema of the changes allowed to a run in progress, for code, requests and the API's description. */
export const editSchemas = {
  profiles: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    description:
      'Changes, in order: all of them hold, or none. A profile is given as YAML text or by its keys; with keys, null takes one away.',
    items: {
      anyOf: [
        edit({ create: profile }),
        edit({ update: name, with: profile }),
        edit({ disable: name }),
        edit({ rename: name, to: name }),
      ],
    },
  },
  // An unknown key is a person's mistake, which can be reported immediately.
  modules: { ...moduleActionsSchema, items: { ...moduleActionSchema, additionalProperties: false } },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** Parses edits of profiles from outside. Fails with OPTION_INVALID, naming the allowed values. */
export function readProfileEdits(edits: unknown): readonly ProfileEdit[] {
  assertFits(editSchemas.profiles, edits, 'updateProfiles');
  return edits as readonly ProfileEdit[];
}

/** Parses changes of the plan from outside. Fails with OPTION_INVALID, naming the allowed values. */
export function readModuleActions(actions: unknown): readonly ModuleAction[] {
  assertFits(editSchemas.modules, actions, 'updateModules');
  return actions as readonly ModuleAction[];
}

function assertFits(schema: JsonObject, value: unknown, what: string): void {
  if (isDeeperThan(value as JsonValue, 64)) throw new CadreError('OPTION_INVALID', `${what}: this is nested too deep`);
  const checked = checkSchema(schema, value);
  if (checked.ok) return;
  const problems = checked.errors.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
  throw new CadreError('OPTION_INVALID', `${what}: ${problems.join('; ')}`);
}
