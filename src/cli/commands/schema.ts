import path from 'node:path';
import type { ExitCode } from '../exit-code.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { schemaKinds, type SchemaKind } from '../options/schema-kinds.ts';
import { schemaOf, schemaText, writeSchemas } from '../write-schemas.ts';

/** Prints the JSON Schema of one kind of file, or of all by name; with `--out`, writes them as files. */
export async function schemaCommand(kind: SchemaKind | undefined, options: { readonly out?: string }): Promise<ExitCode> {
  const terminal = openTerminal();
  if (options.out !== undefined) {
    for (const file of await writeSchemas(path.resolve(options.out), kind === undefined ? schemaKinds : [kind]))
      terminal.print(`${path.relative('', file)}\n`);
    return 0;
  }
  if (kind === undefined)
    terminal.print(
      `${JSON.stringify(Object.fromEntries(await Promise.all(schemaKinds.map(async (each) => [each, await schemaOf(each)] as const))), null, 2)}\n`,
    );
  else terminal.print(await schemaText(kind));
  return 0;
}
