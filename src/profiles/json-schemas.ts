import type { JsonObject, JsonSchema } from '../core/json.ts';
import { handoverProtocolSchema } from './schema/handover-protocol-schema.ts';
import { llmConfigSchema } from './schema/llm-config-schema.ts';
import { profileSchema } from './schema/profile-schema.ts';
import { scriptSchema } from './schema/script-schema.ts';
import { teamSchema } from './schema/team-schema.ts';
import { type SettingsByKind, toolsetSchemaWith } from './schema/toolset-kinds-schema.ts';

const dialect = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schema of profile files for editors: what the loader validates with. */
export function profileJsonSchema(): JsonSchema {
  return forEditors(profileSchema, 'Cadre profile');
}

/** The JSON Schema of LLM config files for editors. */
export function llmConfigJsonSchema(): JsonSchema {
  return forEditors(llmConfigSchema, 'Cadre LLM config');
}

/** The JSON Schema of handover protocol files for editors. */
export function handoverProtocolJsonSchema(): JsonSchema {
  return forEditors(handoverProtocolSchema, 'Cadre handover protocol');
}

/** The JSON Schema of script files (the rules of a scripted model) for editors. */
export function scriptJsonSchema(): JsonSchema {
  return forEditors(scriptSchema, 'Cadre script');
}

/** The JSON Schema of `team.yaml` for editors. */
export function teamJsonSchema(): JsonSchema {
  return forEditors(teamSchema, 'Cadre team');
}

/** The JSON Schema of toolset files for editors, with the settings of these kinds. */
export function toolsetJsonSchema(kinds: SettingsByKind): JsonSchema {
  return forEditors(toolsetSchemaWith(kinds), 'Cadre toolset');
}

function forEditors(schema: JsonSchema, title: string): JsonSchema {
  return { $schema: dialect, title, ...(plain(schema) as JsonObject) };
}

/** Without the loader's own annotations, and with the keyword for shared parts that draft-07 editors know. */
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

const annotations = new Set(['x-expects', 'x-elsewhere', 'x-mistakes', 'x-what', 'x-secret']);
