import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { KnownThings } from '../../profiles/schema/with-names.ts';
import { schemasFolder } from '../dev/refresh-schemas.ts';
import type { ExitCode } from '../exit-code.ts';
import { ownProfiles, profilesFolder } from '../options/profiles-folder.ts';
import { schemaKinds, type SchemaKind } from '../options/schema-kinds.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { schemaOf, schemaText, knownNamesOf, writeSchemas } from '../write-schemas.ts';

/** Options of `schema`. */
export interface SchemaOptions {
  readonly out?: string;
  /** Writes all schemas where the files of a project look for them. */
  readonly project?: boolean;
  /** Folder whose names become completions; the project's own when absent. */
  readonly profiles?: string;
  /** False leaves out names, so that the schemas fit every project. */
  readonly names?: boolean;
}

/** Prints the JSON Schema of one kind of file, or all schemas by name; with `--out`, writes them as files. */
export async function schemaCommand(kind: SchemaKind | undefined, options: SchemaOptions): Promise<ExitCode> {
  const terminal = openTerminal();
  const known = await namesFor(options);
  const out = options.project === true ? projectFolder(options) : options.out;
  if (out !== undefined) {
    for (const file of await writeSchemas(path.resolve(out), { kinds: kind === undefined ? schemaKinds : [kind], known }))
      terminal.print(`${path.relative('', file)}\n`);
    return 0;
  }
  if (kind === undefined)
    terminal.print(
      `${JSON.stringify(Object.fromEntries(await Promise.all(schemaKinds.map(async (each) => [each, await schemaOf(each, known)] as const))), null, 2)}\n`,
    );
  else terminal.print(await schemaText(kind, known));
  return 0;
}

async function namesFor({ profiles, names }: SchemaOptions): Promise<KnownThings | undefined> {
  if (names === false) return undefined;
  const folder = profiles === undefined ? ownProfiles() : profilesFolder(profiles);
  return folder === undefined ? undefined : await knownNamesOf(folder);
}

/** Returns the folder of the project's schemas. Fails with OPTION_INVALID where there is no project. */
function projectFolder({ out, profiles }: SchemaOptions): string {
  if (out !== undefined)
    throw new CadreError('OPTION_INVALID', '--project writes into the folder schemas of the project; leave out --out');
  const folder = profiles === undefined ? ownProfiles() : profilesFolder(profiles);
  if (folder !== undefined) return schemasFolder(folder);
  throw new CadreError(
    'OPTION_INVALID',
    'there is no project here: neither agent_profiles nor team.yaml; begin one with cadre init',
  );
}
