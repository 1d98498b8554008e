import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonSchema } from '../core/json.ts';
import { schemaKinds, type SchemaKind } from './options/schema-kinds.ts';
import { loadToolsetKinds } from '../engine/toolsets/toolset-kinds.ts';
import {
  handoverProtocolJsonSchema,
  llmConfigJsonSchema,
  profileJsonSchema,
  scriptJsonSchema,
  teamJsonSchema,
  toolsetJsonSchema,
} from '../profiles/json-schemas.ts';

/** The JSON Schema of one kind of file. */
export async function schemaOf(kind: SchemaKind): Promise<JsonSchema> {
  switch (kind) {
    case 'profile':
      return profileJsonSchema();
    case 'llm_config':
      return llmConfigJsonSchema();
    case 'handover_protocol':
      return handoverProtocolJsonSchema();
    case 'toolset':
      return toolsetJsonSchema(await loadToolsetKinds());
    case 'team':
      return teamJsonSchema();
    case 'script':
      return scriptJsonSchema();
  }
}

/** Writes schemas into a folder under the names that modelines refer to, and returns the files. */
export async function writeSchemas(folder: string, kinds: readonly SchemaKind[] = schemaKinds): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  for (const kind of kinds) {
    const file = path.join(folder, `${kind}.schema.json`);
    await writeFile(file, await schemaText(kind));
    files.push(file);
  }
  return files;
}

/** A schema as the text of its file. */
export async function schemaText(kind: SchemaKind): Promise<string> {
  return `${JSON.stringify(await schemaOf(kind), null, 2)}\n`;
}
