import type { Command } from 'commander';
import { type Done, reading, running } from './options/shared-options.ts';

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
  addReplayCommand(program, done);
}

function addReplayCommand(program: Command, done: Done): void {
  running(
    program
      .command('replay')
      .summary('replay a run with edited profiles: recorded answers up to the first turn that differs, then the model')
      .argument('<run>'),
    { starts: false },
  )
    .option(
      '--profiles <folder>',
      'the edited profiles, or a team that comes with Cadre (default: ./agent_profiles, else the bundled team)',
    )
    .option('--from <turn>', 'the first turn that may be made again (default: the first one of the run)')
    .option(
      '--recording <file>',
      'answer from this recording instead of models and tools; stop at the first question it does not hold',
    )
    .option('--stop', 'show where the runs part, and start nothing')
    .option('--run-unsafe-tools', 'allow tools whose effects cannot be taken back to run again')
    .option('--llm <config>', "an LLM config to use instead of every profile's own")
    .option('--json', 'print the events from there on as JSON lines, then one line with the result; with --stop, the plan')
    .action(async (run: string, options) => {
      const { replayCommand } = await import('./commands/time-travel/replay.ts');
      done(await replayCommand(run, options));
    });
}
