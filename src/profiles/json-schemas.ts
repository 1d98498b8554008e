import type { JsonObject, JsonSchema } from '../core/json.ts';
import { evalSchema } from './schema/eval-schema.ts';
import { handoverProtocolSchema } from './schema/handover-protocol-schema.ts';
import { llmConfigSchema } from './schema/llm-config-schema.ts';
import { profileSchema } from './schema/profile-schema.ts';
import { scriptSchema } from './schema/script-schema.ts';
import { teamSchema } from './schema/team-schema.ts';
import { testSchema } from './schema/test-schema.ts';
import { type KnownThings, withNames } from './schema/with-names.ts';
import { type SettingsByKind, toolsetSchemaWith } from './schema/toolset-schema.ts';

const dialect = 'http://json-schema.org/draft-07/schema#';

/**
 * Returns the JSON Schema of profile files for editors, the same that the loader validates with. In this file, `known` holds names
 * for completion.
 */
export function profileJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(profileSchema, 'Cadre profile', known);
}

/** Returns the JSON Schema of LLM config files for editors. */
export function llmConfigJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(llmConfigSchema, 'Cadre LLM config', known);
}

/** Returns the JSON Schema of handover protocol files for editors. */
export function handoverProtocolJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(handoverProtocolSchema, 'Cadre handover protocol', known);
}

/** Returns the JSON Schema of script files (rules of a scripted model) for editors. */
export function scriptJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(scriptSchema, 'Cadre script', known);
}

/** Returns the JSON Schema of `team.yaml` for editors. */
export function teamJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(teamSchema, 'Cadre team', known);
}

/** Returns the JSON Schema of test files (`*.test.yaml`) for editors. */
export function testJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(testSchema, 'Cadre test', known);
}

/** Returns the JSON Schema of eval suites (`*.eval.yaml`) for editors. */
export function evalJsonSchema(known?: KnownThings): JsonSchema {
  return forEditors(evalSchema, 'Cadre eval suite', known);
}

/** Returns the JSON Schema of toolset files for editors, with the settings of the given kinds. */
export function toolsetJsonSchema(kinds: SettingsByKind, known?: KnownThings): JsonSchema {
  return forEditors(toolsetSchemaWith(kinds), 'Cadre toolset', known);
}

function forEditors(schema: JsonSchema, title: string, known: KnownThings | undefined): JsonSchema {
  return { $schema: dialect, title, ...(plain(known === undefined ? schema : withNames(schema, known)) as JsonObject) };
}

/** Removes the loader's own annotations, and renames `$defs` to `definitions`, the draft-07 keyword that editors know. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return value.replace(/^#\/\$defs\//, '#/definitions/');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      annotations.has(key) ? [] : [[key === '$defs' ? 'definitions' : key, plain(item)]],
    ),
  );
}

const annotations = new Set(['x-expects', 'x-elsewhere', 'x-mistakes', 'x-what', 'x-secret', 'x-names', 'x-key-names']);
