import type { Command } from 'commander';
import { colorOption, type Done, storeOption } from './options/shared-options.ts';

/** Adds the commands that organize runs without changing them: titles, projects, deletion. */
export function addCatalogCommands(program: Command, done: Done): void {
  const catalogOptions = (command: Command): Command =>
    command.addOption(storeOption()).option('--json', 'as JSON').addOption(colorOption());
  catalogOptions(
    program
      .command('rename')
      .summary('give a run another title')
      .argument('<run>')
      .argument('[title...]', 'the title (default: the one it had)'),
  ).action(async (run: string, words: readonly string[], options) => {
    const { renameCommand } = await import('./commands/running/catalog.ts');
    done(await renameCommand(run, words, options));
  });
  catalogOptions(
    program
      .command('move')
      .summary('put a run into a project')
      .argument('<run>')
      .argument('[project]', 'the project (default: none, which takes it out)'),
  ).action(async (run: string, project: string | undefined, options) => {
    const { moveCommand } = await import('./commands/running/catalog.ts');
    done(await moveCommand(run, project, options));
  });
  catalogOptions(program.command('delete').summary('take a run out of the lists; restore brings it back').argument('<run>'))
    .option('--forks', 'with all forks of it')
    .action(async (run: string, options) => {
      const { deleteCommand } = await import('./commands/running/catalog.ts');
      done(await deleteCommand(run, options));
    });
  catalogOptions(program.command('restore').summary('bring a deleted run back').argument('<run>'))
    .option('--forks', 'with all forks of it')
    .action(async (run: string, options) => {
      const { restoreCommand } = await import('./commands/running/catalog.ts');
      done(await restoreCommand(run, options));
    });
  catalogOptions(program.command('projects').summary('list the projects runs are in'))
    .option('--rename <name>', 'give this project another name, with --to')
    .option('--to <name>', 'the new name; a project of that name takes the runs in')
    .action(async (options) => {
      const { projectsCommand } = await import('./commands/running/catalog.ts');
      done(await projectsCommand(options));
    });
}
