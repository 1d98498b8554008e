import type { Command } from 'commander';
import { type Done, reading } from './options/shared-options.ts';

/** Adds the commands that decide recorded turns again, look into the past of a run, or compare runs. */
export function addTimeTravelCommands(program: Command, done: Done): void {
  reading(
    program
      .command('rerender')
      .summary('show which recorded turns edited profiles would change, and how; calls no model')
      .argument('<run...>')
      .option(
        '--profiles <folder>',
        'the edited profiles, or a team that comes with Cadre (default: ./agent_profiles, else the bundled team)',
      )
      .option('--full', 'every turn that differs, with full texts; with --json, also the whole prompts')
      .addHelpText('after', '\nExit codes: 0 every turn is the same, 1 some turns differ, 2 bad input.'),
  ).action(async (runs: readonly string[], options) => {
    const { rerenderCommand } = await import('./commands/time-travel/rerender.ts');
    done(await rerenderCommand(runs, options));
  });
  reading(
    program
      .command('state')
      .summary('show the state of a run at any point, or one value with the patches that made it')
      .argument('<run>')
      .argument('[path]', 'such as Worker_2.flags.n, team.shared.notes, team.work_modules.WM_1.status, run.status')
      .option('--at <place>', 'a sequence number, or a turn: its end (default: the end of the run)'),
  ).action(async (run: string, path: string | undefined, options) => {
    const { stateCommand } = await import('./commands/time-travel/state.ts');
    done(await stateCommand(run, path, options));
  });
  reading(
    program
      .command('compare')
      .summary('compare runs turn by turn, with the first difference and its cause')
      .argument('<run...>', 'two runs or more; each is compared with the first')
      .option('--full', 'every turn, and full texts')
      .addHelpText('after', '\nExit codes: 0 every turn is the same, 1 some turns differ, 2 bad input.'),
  ).action(async (runs: readonly string[], options) => {
    const { compareCommand } = await import('./commands/time-travel/compare.ts');
    done(await compareCommand(runs, options));
  });
}
