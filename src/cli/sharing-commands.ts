import type { Command } from 'commander';
import { colorOption, type Done, storeOption } from './options/shared-options.ts';

/** Adds the commands that export and import runs. */
export function addSharingCommands(program: Command, done: Done): void {
  program
    .command('export')
    .summary('export a run to a file: a page to open (.html), or a bundle to import (.json)')
    .argument('<run>')
    .option('-o, --out <file>', 'the file; its extension selects the format (default: a bundle to stdout)')
    .option('--no-redact', 'keep text that looks like a secret, and the names of home folders')
    .option('--json', 'with --out: print facts about the file as JSON')
    .addOption(storeOption())
    .addOption(colorOption())
    .action(async (run: string, options) => {
      const { exportCommand } = await import('./commands/export.ts');
      done(await exportCommand(run, options));
    });
  const importing = program
    .command('import')
    .summary('import an exported run, read-only; nothing in it is executed')
    .argument('<file>', 'a bundle, or a page with a run inside')
    .option('--as-new', 'import under a new id')
    .option('--json', 'as JSON')
    .addOption(storeOption())
    .addOption(colorOption())
    .action(async (file: string, options) => {
      const { importCommand } = await import('./commands/import.ts');
      done(await importCommand(file, options));
    });
  // A file named `commonground` is imported as `./commonground`.
  importing
    .command('commonground')
    .summary('convert a tree of CommonGround v1 profiles, LLM configs and handover protocols')
    .argument('<folder>', 'the tree, which is not changed')
    .option('-o, --out <folder>', 'the folder for the converted team', 'agent_profiles')
    .option('--force', 'write into a folder that is not empty and replace files of the same name')
    .option('--json', 'print the conversion of each file as JSON')
    .addOption(colorOption())
    .action(async (folder: string, _own: unknown, command: Command) => {
      const { importCommonGroundCommand } = await import('./commands/import-commonground.ts');
      // Commander assigns options that `import` shares to `import` itself.
      done(await importCommonGroundCommand(folder, command.optsWithGlobals()));
    });
}
