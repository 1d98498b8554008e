import type { Command } from 'commander';
import { parseAge } from './options/option-values.ts';
import { colorOption, type Done, storeOption } from './options/shared-options.ts';

/** Adds the commands that organize runs without changing them: titles, projects, deletion. */
export function addCatalogCommands(program: Command, done: Done): void {
  const catalogOptions = (command: Command): Command =>
    command.addOption(storeOption()).option('--json', 'as JSON').addOption(colorOption());
  catalogOptions(
    program
      .command('rename')
      .summary('rename a run')
      .argument('<run>')
      .argument('[title...]', 'the title (default: the original one)'),
  ).action(async (run: string, words: readonly string[], options) => {
    const { renameCommand } = await import('./commands/running/catalog.ts');
    done(await renameCommand(run, words, options));
  });
  catalogOptions(
    program
      .command('move')
      .summary('move a run into a project')
      .argument('<run>')
      .argument('[project]', 'the project (default: none, which takes the run out of its project)'),
  ).action(async (run: string, project: string | undefined, options) => {
    const { moveCommand } = await import('./commands/running/catalog.ts');
    done(await moveCommand(run, project, options));
  });
  catalogOptions(program.command('delete').summary('hide a run from the lists; restore brings it back').argument('<run>'))
    .option('--forks', 'include all its forks')
    .action(async (run: string, options) => {
      const { deleteCommand } = await import('./commands/running/catalog.ts');
      done(await deleteCommand(run, options));
    });
  catalogOptions(program.command('restore').summary('restore a deleted run').argument('<run>'))
    .option('--forks', 'include all its forks')
    .action(async (run: string, options) => {
      const { restoreCommand } = await import('./commands/running/catalog.ts');
      done(await restoreCommand(run, options));
    });
  const runs = program.commands.find((command) => command.name() === 'runs') ?? program;
  catalogOptions(
    runs.command('prune').summary('erase runs that ended or were deleted long ago, and their texts; it cannot be undone'),
  )
    .requiredOption('--older-than <age>', 'least age: time since the last event, such as 12h, 30d, 8w', parseAge)
    .option('--project <name>', 'only runs of this project')
    .option('--deleted', 'only deleted runs, by the time since their deletion')
    .option('--idle', 'also runs that only wait for a message, as a chat does when it is over')
    .option('--workspaces', 'also remove their folders in .cadre/workspaces')
    .option('--dry-run', 'list what would be erased, and erase nothing')
    .option('--yes', 'erase without asking')
    .action(async (_options, command: Command) => {
      const { pruneCommand } = await import('./commands/running/prune.ts');
      // `--store`, `--json`, `--project` and `--deleted` may stand before `prune`, too.
      done(await pruneCommand(command.optsWithGlobals()));
    });
  catalogOptions(program.command('projects').summary('list the projects of runs'))
    .option('--rename <name>', 'rename this project, with --to')
    .option('--to <name>', 'the new name; merges with an existing project of that name')
    .action(async (options) => {
      const { projectsCommand } = await import('./commands/running/catalog.ts');
      done(await projectsCommand(options));
    });
}
