import path from 'node:path';
import type { JsonSchema } from '../core/json.ts';
import { writeOutput } from '../files/output-file.ts';
import { knownThings } from '../engine/known-things.ts';
import { namesOfFiles } from '../profiles/names-of-files.ts';
import { readProfileFiles } from '../profiles/files/read-profile-files.ts';
import type { KnownThings } from '../profiles/schema/with-names.ts';
import { knownDocumentTools } from './options/known-document-tools.ts';
import { schemaKinds, type SchemaKind } from './options/schema-kinds.ts';
import { loadToolsetKinds } from '../engine/toolsets/toolset-kinds.ts';
import {
  evalJsonSchema,
  handoverProtocolJsonSchema,
  llmConfigJsonSchema,
  profileJsonSchema,
  scriptJsonSchema,
  teamJsonSchema,
  testJsonSchema,
  toolsetJsonSchema,
} from '../profiles/json-schemas.ts';

/** Collects the names that files of a profiles folder can refer to, for its schemas; files with errors contribute what they can. */
export async function knownNamesOf(folder: string): Promise<KnownThings> {
  const { files } = await readProfileFiles([folder]);
  return knownThings(namesOfFiles(files), knownDocumentTools());
}

/** Returns the JSON Schema of one kind of file, with the `known` names as completions. */
export async function schemaOf(kind: SchemaKind, known?: KnownThings): Promise<JsonSchema> {
  switch (kind) {
    case 'profile':
      return profileJsonSchema(known);
    case 'llm_config':
      return llmConfigJsonSchema(known);
    case 'handover_protocol':
      return handoverProtocolJsonSchema(known);
    case 'toolset':
      return toolsetJsonSchema(await loadToolsetKinds(), known);
    case 'team':
      return teamJsonSchema(known);
    case 'script':
      return scriptJsonSchema(known);
    case 'test':
      return testJsonSchema(known);
    case 'eval':
      return evalJsonSchema(known);
  }
}

/** Writes schemas into a folder under the file names that modelines refer to; returns the paths. */
export async function writeSchemas(
  folder: string,
  { kinds = schemaKinds, known }: { readonly kinds?: readonly SchemaKind[]; readonly known?: KnownThings | undefined } = {},
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const kind of kinds) {
    const file = path.join(folder, `${kind}.schema.json`);
    await writeOutput(file, await schemaText(kind, known), { namedBy: 'project', projects: [folder] });
    files.push(file);
  }
  return files;
}

/** Returns a schema as the text of its file. */
export async function schemaText(kind: SchemaKind, known?: KnownThings): Promise<string> {
  return `${JSON.stringify(await schemaOf(kind, known), null, 2)}\n`;
}
