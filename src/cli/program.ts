import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { engineVersion } from '../engine/version.ts';
import type { ExitCode } from './exit-code.ts';
import { addAuthoringCommands } from './authoring-commands.ts';
import { addSteeringCommands } from './steering-commands.ts';
import { collectFiles } from './options/attachments-option.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { addTimeTravelCommands } from './time-travel-commands.ts';
import { addServingCommands } from './serving-commands.ts';
import { addSharingCommands } from './sharing-commands.ts';
import { withRestate } from './options/restate-option.ts';
import { type Done, rawOption, reading, running, storeOption } from './options/shared-options.ts';

/**
 * Builds the command line: names and options only. The code of a command is imported when the command runs, which keeps help fast.
 * `done` receives the exit code of the command that ran.
 */
export function createProgram(done: (code: ExitCode) => void): Command {
  const program = new Command('cadre')
    .description('Runs teams of LLM agents declared in YAML profiles, and shows every turn they took.')
    .version(engineVersion)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', helpAfter);
  program.hook('preAction', async (_program, command) => {
    // Most projects keep the default journal; those that do not need no parser.
    if (!existsSync('agent_profiles/team.yaml') && !existsSync('team.yaml')) return;
    const { useProjectStore } = await import('./options/project-store.ts');
    await useProjectStore(command);
  });
  program.commandsGroup('Run teams:');
  addRunningCommands(program, done);
  addServingCommands(program, done);
  program.commandsGroup('Steer runs, also those of other processes:');
  addSteeringCommands(program, done);
  program.commandsGroup('Look into runs:');
  addReadingCommands(program, done);
  addTimeTravelCommands(program, done);
  program.commandsGroup('Keep runs in order:');
  addCatalogCommands(program, done);
  addSharingCommands(program, done);
  program.commandsGroup('Write profiles:');
  addAuthoringCommands(program, done);
  return program;
}

const helpAfter = `
Examples:
  cadre init my-team                     a starter team, ready to run without a key
  cadre run "How do I …?"                a run, with its report
  cadre why last "words of a reply"      where these words come from
  cadre doctor                           what is missing on this machine

RUN is a run id, a prefix of one, or "last". TURN is a turn id, a suffix of one (t3), or "last".
Exit codes: 0 done, 1 the run failed or waits for a person, 2 usage or invalid profiles, 130 interrupted.`;

function addRunningCommands(program: Command, done: Done): void {
  withRestate(
    running(
      program
        .command('run')
        .summary('run a team on a question and print its report')
        .argument('[question...]', 'the question; - reads it from stdin'),
      { starts: true },
    ),
  )
    .addOption(new Option('--attach <file>', 'a file the question is about; may be repeated').argParser(collectFiles))
    .option('--project <name>', 'the project of the run')
    .option('--record <file>', 'record the answers of models and tools in a file, for --replay')
    .option('--replay <file>', 'answer from a recording, including its question: calls no model and no tool')
    .option('--serve', 'serve the page meanwhile, until Ctrl-C')
    .option('--open', 'with --serve: ask for no token, and answer everyone on this machine')
    .addOption(rawOption())
    .option('--json', 'print the events as JSON lines, then one line with the result')
    .action(async (words: readonly string[], options) => {
      const { runCommand } = await import('./commands/running/run.ts');
      done(await runCommand(words, options));
    });
  running(program.command('chat').summary('talk with a team').argument('[run]', 'a run to continue'), { starts: true })
    .addOption(rawOption())
    .action(async (run: string | undefined, options) => {
      const { chatCommand } = await import('./commands/running/chat.ts');
      done(await chatCommand(run, options));
    });
  withRestate(
    running(
      program.command('resume').summary('resume a run').argument('[run]').argument('[message...]', 'a message to send to it'),
      {
        starts: false,
      },
    ),
  )
    .option('--all', 'resume every interrupted run, one after the other')
    .option('--take-over', 'take the run over even from a process that advances it: its next write fails, and it stops')
    .option('--current-profiles', 'use the current profiles instead of the recorded ones, and print the differences')
    .option('--profiles <folder>', 'the profiles for --current-profiles (default: ./agent_profiles, else the bundled team)')
    .option('--json', 'print the events from here on as JSON lines, then one line with the result')
    .action(async (run: string | undefined, words: readonly string[], options) => {
      const { resumeCommand } = await import('./commands/running/resume.ts');
      done(await resumeCommand(run, words, options));
    });
}

function addReadingCommands(program: Command, done: Done): void {
  reading(
    program
      .command('runs')
      .summary('list the runs, newest first')
      .option('--project <name>', 'only runs of this project')
      .option('--search <words>', 'only runs with these words in title, id, profile or project')
      .option('--deleted', 'deleted runs')
      .option('--all', 'all runs instead of the newest 200'),
  ).action(async (options) => {
    const { runsCommand } = await import('./commands/reading/runs.ts');
    done(await runsCommand(options));
  });
  reading(
    program
      .command('show')
      .summary('show an overview of a run and its conversation')
      .argument('<run>')
      .option('--full', 'full texts')
      .addOption(rawOption()),
  ).action(async (run: string, options) => {
    const { showCommand } = await import('./commands/reading/run-views.ts');
    done(await showCommand(run, options));
  });
  reading(
    program
      .command('turns')
      .summary('list the turns of a run')
      .argument('<run>')
      .option('--agent <id>', 'only turns of this agent')
      .option('--type <type>', 'turns of another type than those of agents: user, dispatch, aggregation, restart, or all')
      .option('--all', 'all turns instead of the newest 200'),
  ).action(async (run: string, options) => {
    const { turnsCommand } = await import('./commands/reading/turns.ts');
    done(await turnsCommand(run, options));
  });
  addTurnCommands(program, done);
  addRunViews(program, done);
}

function addTurnCommands(program: Command, done: Done): void {
  reading(
    program
      .command('turn')
      .summary('show the full record of one turn')
      .argument('<run>')
      .argument('<turn>')
      .option('--full', 'full texts')
      .addOption(rawOption()),
  ).action(async (run: string, turn: string, options) => {
    const { turnCommand } = await import('./commands/reading/run-views.ts');
    done(await turnCommand(run, turn, options));
  });
  reading(
    program
      .command('why')
      .summary('show the provenance of a text in a prompt or reply')
      .argument('<run>')
      .argument('<turn-and-text...>', 'TURN TEXT, or only TEXT to search all turns; with --at, only TURN')
      .option('--at <place>', 'a place instead of a text: 120-180 of the prompt, reply:0-40, reasoning:0-9, tool_call[0]:0-9')
      .option('--full', 'all causes'),
  ).action(async (run: string, words: readonly string[], options) => {
    const { whyCommand } = await import('./commands/reading/why.ts');
    done(await whyCommand(run, words, options));
  });
  reading(
    program
      .command('diff')
      .summary('show the differences between the prompts of two turns, and the state changes of both')
      .argument('<run>')
      .argument('<before>')
      .argument('<after>')
      .option('--full', 'full texts'),
  ).action(async (run: string, before: string, after: string, options) => {
    const { diffCommand } = await import('./commands/reading/run-views.ts');
    done(await diffCommand(run, { before, after }, options));
  });
  program
    .command('record')
    .summary('write a recording of an existing run: the answers of models and tools')
    .argument('<run>')
    .option('-o, --out <file>', 'the file (default: stdout)')
    .addOption(storeOption())
    .action(async (run: string, options) => {
      const { recordCommand } = await import('./commands/running/record.ts');
      done(await recordCommand(run, options));
    });
}

function addRunViews(program: Command, done: Done): void {
  reading(program.command('tree').summary('show the agents of a run as a tree').argument('<run>')).action(
    async (run: string, options) => {
      const { treeCommand } = await import('./commands/reading/run-views.ts');
      done(await treeCommand(run, options));
    },
  );
  reading(
    program
      .command('history')
      .summary('show what an agent and the agents it called did')
      .argument('<run>')
      .argument('[agent]', 'its id (default: the root agent)'),
  ).action(async (run: string, agent: string | undefined, options) => {
    const { historyCommand } = await import('./commands/reading/run-views.ts');
    done(await historyCommand(run, agent, options));
  });
  reading(program.command('board').summary('show the work modules of a run').argument('<run>')).action(
    async (run: string, options) => {
      const { boardCommand } = await import('./commands/reading/run-views.ts');
      done(await boardCommand(run, options));
    },
  );
  reading(program.command('timeline').summary('show a run over time, one row per agent').argument('<run>')).action(
    async (run: string, options) => {
      const { timelineCommand } = await import('./commands/reading/run-views.ts');
      done(await timelineCommand(run, options));
    },
  );
  reading(
    program
      .command('events')
      .summary('print the journal of a run as JSON lines')
      .argument('<run>')
      .option('--after <seq>', 'only events after this sequence number', wholeNumber)
      .option('--as <system>', 'in the event names of another system: agent_framework or anges')
      .option('--only <names>', 'with --as: only these names, separated by commas')
      .option('--salvage', 'print the intact events of a damaged run and report the damaged row; changes nothing'),
  ).action(async (run: string, options) => {
    const { eventsCommand } = await import('./commands/reading/events.ts');
    done(await eventsCommand(run, options));
  });
  reading(
    program
      .command('tail')
      .summary('follow the progress of a run in any process, until it ends')
      .argument('<run>')
      .option('-n, --lines <count>', 'number of past lines to show (default: all)', wholeNumber),
  ).action(async (run: string, options) => {
    const { tailCommand } = await import('./commands/reading/tail.ts');
    done(await tailCommand(run, options));
  });
  reading(
    program.command('pending').summary('list the approvals and questions of a run that wait for you').argument('<run>'),
  ).action(async (run: string, options) => {
    const { pendingCommand } = await import('./commands/reading/run-views.ts');
    done(await pendingCommand(run, options));
  });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return number;
}
