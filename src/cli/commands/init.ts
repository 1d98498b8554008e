import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import { writeOutput } from '../../files/output-file.ts';
import { placeOf } from '../../files/project-place.ts';
import { scriptCommand } from '../options/command-prefix.ts';
import type { ExitCode } from '../exit-code.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { templates } from '../starter/templates/all-templates.ts';
import type { Template } from '../starter/templates/template.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import { knownNamesOf, writeSchemas } from '../write-schemas.ts';

/** Options of `init`. */
export interface InitOptions {
  readonly force?: boolean;
  /** Name of the template; the first one when absent. */
  readonly template?: string;
}

/** Writes a new project into a folder: profiles, a script that replaces a model, files to work on, and schemas for the editor. */
export async function initCommand(folder: string | undefined, options: InitOptions): Promise<ExitCode> {
  const root = path.resolve(folder ?? '.');
  placeOf(root, { isFolder: true });
  await checkEmpty(root, options.force ?? false);
  const terminal = openTerminal();
  const template = templates.find(({ name }) => name === options.template) ?? templates[0];
  const written: string[] = [];
  for (const { file, text } of template.files) {
    const target = path.join(root, file);
    await writeOutput(target, text, { namedBy: 'project', projects: [root] });
    written.push(target);
  }
  written.push(
    ...(await writeSchemas(path.join(root, 'schemas'), { known: await knownNamesOf(path.join(root, 'agent_profiles')) })),
  );
  for (const file of written) terminal.print(`${path.relative('', file)}\n`);
  const others = templates.filter((each) => each !== template && options.template === undefined);
  const more = others.length === 0 ? '' : `\nOther templates (--template NAME):\n${others.map(templateLine).join('')}`;
  terminal.print(`${more}\nThis one runs without a key or a network. Next:\n${nextCommands(root, template)}`);
  return 0;
}

function templateLine({ name, description }: Template): string {
  return `  ${name.padEnd(10)} ${description}\n`;
}

async function checkEmpty(root: string, force: boolean): Promise<void> {
  let names: readonly string[];
  try {
    names = await readdir(root);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return;
    throw new CadreError(
      'OPTION_INVALID',
      `${root} cannot be used: ${code === 'ENOTDIR' ? 'it is a file, not a folder' : String(code)}; name a folder`,
      { cause: error },
    );
  }
  const [first] = names;
  if (force || first === undefined) return;
  throw new CadreError(
    'OPTION_INVALID',
    `${root} is not empty (it holds ${first}${names.length > 1 ? ` and ${names.length - 1} more` : ''}); name an empty folder, or use --force to write into it`,
  );
}

/** Returns commands that work from the new folder; npm scripts of a clone would run in the clone instead. */
function nextCommands(root: string, template: Template): string {
  const isHere = path.relative('', root) === '';
  const usual = thisCommand([]);
  const [, script] = process.argv;
  const command =
    !isHere && usual.startsWith('npm run') && script !== undefined
      ? scriptCommand(script, root)
      : isHere
        ? usual
        : thisCommandFrom(root);
  const lines = [
    ...(isHere ? [] : [`cd ${shellWord(path.relative('', root))}`]),
    ...template.next.map((words) => `${command} ${words.map(shellWord).join(' ')}`),
    `${command} validate`,
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

function thisCommandFrom(root: string): string {
  const usual = thisCommand([]);
  const [, script] = process.argv;
  return usual.startsWith('node ') && script !== undefined ? scriptCommand(script, root) : usual;
}
