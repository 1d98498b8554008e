import type { Command } from 'commander';
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
  catalogOptions(program.command('projects').summary('list the projects of runs'))
    .option('--rename <name>', 'rename this project, with --to')
    .option('--to <name>', 'the new name; merges with an existing project of that name')
    .action(async (options) => {
      const { projectsCommand } = await import('./commands/running/catalog.ts');
      done(await projectsCommand(options));
    });
}
