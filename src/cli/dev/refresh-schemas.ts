import { existsSync } from 'node:fs';
import path from 'node:path';
import { readOutput, writeOutput } from '../../files/output-file.ts';
import { schemaKinds } from '../options/schema-kinds.ts';
import { isBundledFolder } from '../trust/bundled-files.ts';
import { knownNamesOf, schemaText } from '../write-schemas.ts';

const maxSchemaBytes = 10_000_000;

/** Returns the folder of a project's schemas: `schemas` beside its profiles, or in them when they are the working folder. */
export function schemasFolder(profiles: string): string {
  const folder = path.resolve(profiles);
  const [beside, inside] = [path.join(path.dirname(folder), 'schemas'), path.join(folder, 'schemas')];
  const isWritten = (place: string): boolean => existsSync(path.join(place, 'profile.schema.json'));
  if (isWritten(beside) || isWritten(inside)) return isWritten(beside) ? beside : inside;
  return folder === path.resolve() ? inside : beside;
}

/**
 * Writes the project's own names into its schemas again, where it has some; returns the files that changed. Files of the same name that are
 * no schemas of Cadre stay as they are.
 */
export async function refreshSchemas(profiles: string): Promise<readonly string[]> {
  const folder = schemasFolder(profiles);
  if (!existsSync(path.join(folder, 'profile.schema.json')) || (await isBundledFolder(profiles))) return [];
  const known = await knownNamesOf(profiles);
  const changed: string[] = [];
  for (const kind of schemaKinds) {
    const file = path.join(folder, `${kind}.schema.json`);
    const text = await schemaText(kind, known);
    // A kind that the project removed is not written again.
    const before = await readOutput(file, maxSchemaBytes);
    if ('reason' in before || !before.text.includes('"title": "Cadre ') || before.text === text) continue;
    await writeOutput(file, text, { namedBy: 'project' });
    changed.push(file);
  }
  return changed;
}
