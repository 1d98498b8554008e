import { type Command, Option } from 'commander';
import { existingFolder, parseLimits, parseRequest } from './option-values.ts';
import type { ExitCode } from '../exit-code.ts';

/** Receives the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

/** Option that names the journal. */
export const storeOption = (): Option =>
  new Option('--store <path>', 'the journal: a file or postgres://… (default: .cadre/journal.db)');

/** Option that turns colours off. */
export const colorOption = (): Option => new Option('--no-color', 'no colours (also: NO_COLOR=1)');

/** Option that refuses profiles with warnings. */
export const strictOption = (): Option => new Option('--strict', 'refuse profiles that load with warnings');

/** Option that turns Markdown rendering off. */
export const rawOption = (): Option => new Option('--raw', 'print replies without rendering Markdown');

/** Adds the options shared by commands that only read a journal. */
export function reading(command: Command): Command {
  return command.addOption(storeOption()).option('--json', 'as JSON').addOption(colorOption());
}

/** Adds the options of commands that advance a run; with `starts`, also those of a new run. */
export function running(command: Command, options: { readonly starts: boolean }): Command {
  command.addOption(
    new Option(
      '--docs <path>',
      'the documents, a folder or one file (default: docs/ beside your own profiles, else those of the ai package)',
    ),
  );
  command.addOption(new Option('--out <folder>', 'the folder for reports (default: .cadre/reports/RUN)'));
  if (options.starts) {
    command.addOption(
      new Option('--workspace <folder>', 'the folder tools work in (default: .cadre/workspaces/RUN)').argParser(existingFolder),
    );
    command.addOption(
      new Option(
        '--profiles <folder>',
        'the profiles, or a team that comes with Cadre: anges, openmanus, … (default: ./agent_profiles, else the bundled team)',
      ),
    );
    command.addOption(new Option('--profile <name>', 'the profile of the root agent (default: Partner)'));
    // A resumed run keeps its model and limits.
    command.addOption(new Option('--llm <config>', "an LLM config to use instead of every profile's own"));
    command.addOption(
      new Option('--request <name=value…>', 'a value of the request, for texts, settings and tools; may be repeated').argParser(
        parseRequest,
      ),
    );
    command.addOption(
      new Option('--limits <name=number,…>', 'limits of the run, such as turns=50,tokens=200000,costUsd=1').argParser(parseLimits),
    );
  }
  if (!options.starts) command.addOption(rawOption());
  command.addOption(
    options.starts
      ? new Option('--store <path>', 'the journal: a file, postgres://…, or memory (default: .cadre/journal.db)')
      : storeOption(),
  );
  command.addOption(
    new Option('--trust', 'trust the profiles with the programs, variables and addresses they name, and remember this'),
  );
  command.addOption(strictOption());
  return command.addOption(new Option('--quiet', 'print only the result')).addOption(colorOption());
}
