import type { JsonSchema } from '../../core/json.ts';
import { ifThen, object, words } from './schema-parts.ts';

/** Schema of a value from the environment: `{ _type: from_env, var: NAME }`. */
export const fromEnvironment = object(
  'A value from the environment.',
  {
    _type: { const: 'from_env' },
    var: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$', 'x-expects': 'the name of an environment variable' },
    default: { type: ['string', 'number', 'boolean', 'null'], description: 'Value used when the variable is not set.' },
    required: { type: 'boolean', description: 'The config or toolset is unavailable while the variable is not set.' },
  },
  { required: ['_type', 'var'], 'x-what': 'from_env' },
);

const fromFile = object(
  'A value from a JSON file inside the profile folder.',
  { _type: { const: 'json_from_file' }, path: words('Path of the file, relative to this file or the profile folder.') },
  { required: ['_type', 'path'], 'x-what': 'json_from_file' },
);

/** Schema for `#/$defs/lookup` of a schema that uses `resolvable`. */
export const lookup: JsonSchema = {
  properties: { _type: { enum: ['from_env', 'json_from_file'] } },
  allOf: [
    ifThen({ properties: { _type: { const: 'from_env' } } }, fromEnvironment),
    ifThen({ properties: { _type: { const: 'json_from_file' } } }, fromFile),
  ],
};

/** Returns a schema for a literal value or a lookup. */
export function resolvable(schema: JsonSchema): JsonSchema {
  return {
    description: schema['description'],
    ...ifThen({ type: 'object', required: ['_type'] }, { $ref: '#/$defs/lookup' }, schema),
  };
}
