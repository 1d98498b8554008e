import type { Command } from 'commander';
import { colorOption, type Done, storeOption } from './options/shared-options.ts';

/** Adds the commands that export and import runs. */
export function addSharingCommands(program: Command, done: Done): void {
  program
    .command('export')
    .summary('write a run to a file for others: a page to open (.html), or a bundle to import (.json)')
    .argument('<run>')
    .option('-o, --out <file>', 'the file; its ending says what is written (default: a bundle, to stdout)')
    .option('--no-redact', 'keep what looks like a secret, and the names of home folders')
    .option('--json', 'with --out: what was written, as JSON')
    .addOption(storeOption())
    .addOption(colorOption())
    .action(async (run: string, options) => {
      const { exportCommand } = await import('./commands/export.ts');
      done(await exportCommand(run, options));
    });
  const importing = program
    .command('import')
    .summary('take in a run that somebody exported, to be looked at; nothing of it is executed')
    .argument('<file>', 'a bundle, or a page with a run inside')
    .option('--as-new', 'under a new id')
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
    .argument('<folder>', 'the tree, which stays as it is')
    .option('-o, --out <folder>', 'where the converted team goes', 'agent_profiles')
    .option('--force', 'also into a folder that is not empty; files of the same name are replaced')
    .option('--json', 'what became of what, as JSON')
    .addOption(colorOption())
    .action(async (folder: string, _own: unknown, command: Command) => {
      const { importCommonGroundCommand } = await import('./commands/import-commonground.ts');
      // Commander assigns options that `import` shares to `import` itself.
      done(await importCommonGroundCommand(folder, command.optsWithGlobals()));
    });
}
