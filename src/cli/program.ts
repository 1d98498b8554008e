import { Command, InvalidArgumentError, Option } from 'commander';
import { engineVersion } from '../engine/version.ts';
import type { ExitCode } from './exit-code.ts';
import { addAuthoringCommands } from './authoring-commands.ts';
import { addSteeringCommands } from './steering-commands.ts';
import { collectFiles } from './options/attachments-option.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { addSharingCommands } from './sharing-commands.ts';
import { colorOption, type Done, rawOption, running, storeOption } from './options/shared-options.ts';

/**
 * Builds the command line: names and options only. The code of a command is imported when the command runs, which keeps help fast.
 * `done` receives the exit code of the command that ran.
 */
export function createProgram(done: (code: ExitCode) => void): Command {
  const program = new Command('cadre')
    .description('Runs teams of LLM agents that are declared in YAML profiles, and shows every turn they took.')
    .version(engineVersion)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', helpAfter);
  addRunningCommands(program, done);
  addSteeringCommands(program, done);
  addReadingCommands(program, done);
  addCatalogCommands(program, done);
  addServingCommands(program, done);
  addSharingCommands(program, done);
  addAuthoringCommands(program, done);
  return program;
}

const helpAfter = `
RUN is a run's id, the beginning of one, or "last". TURN is a turn's id, the end of one (t3), or "last".
Exit codes: 0 done, 1 the run failed or waits for a person, 2 usage or invalid profiles, 130 interrupted.`;

function addRunningCommands(program: Command, done: Done): void {
  running(
    program
      .command('run')
      .summary('run a team on a question and print its report')
      .argument('[question...]', 'the question; - reads it from stdin'),
    { starts: true },
  )
    .addOption(new Option('--attach <file>', 'a file the question is about; may be repeated').argParser(collectFiles))
    .option('--project <name>', 'the project the run is put into')
    .option('--record <file>', 'write what models and tools answered to a file, which --replay answers from')
    .option('--replay <file>', 'answer from a recording: no model is called, no tool is run; the question is its own')
    .option('--serve', 'open the page beside it, until Ctrl-C')
    .addOption(rawOption())
    .option('--json', 'the events as JSON lines, then one line with the result')
    .action(async (words: readonly string[], options) => {
      const { runCommand } = await import('./commands/running/run.ts');
      done(await runCommand(words, options));
    });
  running(program.command('chat').summary('talk with a team').argument('[run]', 'a run to go on with'), { starts: true })
    .addOption(rawOption())
    .action(async (run: string | undefined, options) => {
      const { chatCommand } = await import('./commands/running/chat.ts');
      done(await chatCommand(run, options));
    });
  running(
    program.command('resume').summary('go on with a run').argument('[run]').argument('[message...]', 'something to say to it'),
    { starts: false },
  )
    .option('--all', 'every run that was interrupted, one after the other')
    .option('--take-over', 'even from a process that is or seems to be at work on it: its next write fails, and it stops')
    .option('--current-profiles', "today's profiles instead of those it went by; what differs is said")
    .option('--profiles <folder>', 'where they are, with --current-profiles (default: ./agent_profiles, else the bundled team)')
    .option('--json', 'the events from here on as JSON lines, then one line with the result')
    .action(async (run: string | undefined, words: readonly string[], options) => {
      const { resumeCommand } = await import('./commands/running/resume.ts');
      done(await resumeCommand(run, words, options));
    });
}

function addServingCommands(program: Command, done: Done): void {
  running(program.command('serve').summary('open the page on which runs are looked at and steered, with its API'), { starts: true })
    .addOption(new Option('--port <number>', 'the port (default: 4111, or any that is free)').argParser(wholeNumber))
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1); any other needs --token')
    .option('--token', 'only for clients that bear a token: that of CADRE_TOKEN, or a new one')
    .option('--read-only', 'nothing can be started, steered or ended')
    .option('--no-resume', 'leave the runs alone that an earlier server left; they are resumed otherwise')
    .option('--allow-host <name...>', 'other names it is asked by: those of a proxy in front of it')
    .action(async (options) => {
      const { serveCommand } = await import('./commands/running/serve.ts');
      done(await serveCommand(options));
    });
  running(program.command('mcp').summary('serve the teams to MCP clients, on stdin and stdout or over HTTP'), { starts: true })
    .option('--http', 'over HTTP, to this machine alone')
    .addOption(new Option('--port <number>', 'the port, with --http (default: any that is free)').argParser(wholeNumber))
    .option('--token', 'only for clients that bear a token: that of CADRE_MCP_TOKEN, or a new one')
    .option('--allow-decisions', 'clients may approve calls that wait for a person')
    .option('--tools-of <profile>', 'the tools of a profile instead of the teams, to one client on stdin and stdout')
    .action(async (options) => {
      const { mcpCommand } = await import('./commands/running/mcp.ts');
      done(await mcpCommand(options));
    });
}

/** Adds the options shared by commands that only read a journal. */
function reading(command: Command): Command {
  return command.addOption(storeOption()).option('--json', 'as JSON').addOption(colorOption());
}

function addReadingCommands(program: Command, done: Done): void {
  reading(
    program
      .command('runs')
      .summary('list the runs, newest first')
      .option('--project <name>', 'of this project only')
      .option('--search <words>', 'only those with these words in title, id, profile or project')
      .option('--deleted', 'the deleted ones')
      .option('--all', 'all runs, not the newest 200 alone'),
  ).action(async (options) => {
    const { runsCommand } = await import('./commands/reading/runs.ts');
    done(await runsCommand(options));
  });
  reading(
    program
      .command('show')
      .summary('a run at a glance, and what was said')
      .argument('<run>')
      .option('--full', 'texts whole')
      .addOption(rawOption()),
  ).action(async (run: string, options) => {
    const { showCommand } = await import('./commands/reading/show-run.ts');
    done(await showCommand(run, options));
  });
  reading(
    program
      .command('turns')
      .summary('list the turns of a run')
      .argument('<run>')
      .option('--agent <id>', 'of one agent only')
      .option('--type <type>', 'of another type than those of agents: user, dispatch, aggregation, restart, or all')
      .option('--all', 'all turns, not the newest 200 alone'),
  ).action(async (run: string, options) => {
    const { turnsCommand } = await import('./commands/reading/turns.ts');
    done(await turnsCommand(run, options));
  });
  reading(
    program
      .command('turn')
      .summary('everything about one turn')
      .argument('<run>')
      .argument('<turn>')
      .option('--full', 'texts whole')
      .addOption(rawOption()),
  ).action(async (run: string, turn: string, options) => {
    const { turnCommand } = await import('./commands/reading/turn.ts');
    done(await turnCommand(run, turn, options));
  });
  reading(
    program
      .command('why')
      .summary('where a text that a model saw or said came from')
      .argument('<run>')
      .argument('<turn-and-text...>', 'TURN TEXT, or TEXT alone to search all turns; TURN alone with --at')
      .option('--at <place>', 'a place instead of a text: 120-180 of the prompt, reply:0-40, reasoning:0-9, tool_call[0]:0-9')
      .option('--full', 'all causes'),
  ).action(async (run: string, words: readonly string[], options) => {
    const { whyCommand } = await import('./commands/reading/why.ts');
    done(await whyCommand(run, words, options));
  });
  reading(
    program
      .command('diff')
      .summary('what differs between the prompts of two turns, and what both changed in the state')
      .argument('<run>')
      .argument('<before>')
      .argument('<after>')
      .option('--full', 'texts whole'),
  ).action(async (run: string, before: string, after: string, options) => {
    const { diffCommand } = await import('./commands/reading/diff.ts');
    done(await diffCommand(run, before, after, options));
  });
  program
    .command('record')
    .summary('write a recording of a run that was made: what models and tools answered')
    .argument('<run>')
    .option('-o, --out <file>', 'the file (default: stdout)')
    .addOption(storeOption())
    .action(async (run: string, options) => {
      const { recordCommand } = await import('./commands/running/record.ts');
      done(await recordCommand(run, options));
    });
  addRunViews(program, done);
}

function addRunViews(program: Command, done: Done): void {
  reading(program.command('tree').summary('the agents of a run').argument('<run>')).action(async (run: string, options) => {
    const { treeCommand } = await import('./commands/reading/tree.ts');
    done(await treeCommand(run, options));
  });
  reading(
    program
      .command('history')
      .summary('what an agent did, with what the agents it called did in between')
      .argument('<run>')
      .argument('[agent]', 'its id (default: the first agent)'),
  ).action(async (run: string, agent: string | undefined, options) => {
    const { historyCommand } = await import('./commands/reading/history.ts');
    done(await historyCommand(run, agent, options));
  });
  reading(program.command('board').summary('the work modules of a run').argument('<run>')).action(async (run: string, options) => {
    const { boardCommand } = await import('./commands/reading/board.ts');
    done(await boardCommand(run, options));
  });
  reading(program.command('timeline').summary('a run over time').argument('<run>')).action(async (run: string, options) => {
    const { timelineCommand } = await import('./commands/reading/timeline.ts');
    done(await timelineCommand(run, options));
  });
  reading(
    program
      .command('events')
      .summary('the journal of a run, as JSON lines')
      .argument('<run>')
      .option('--after <seq>', 'events after this one only', wholeNumber)
      .option('--as <system>', 'by the names of another system: agent_framework or anges')
      .option('--only <names>', 'with --as: these names only, separated by commas')
      .option('--salvage', 'of a damaged run, what is good; says which row is bad, and changes nothing'),
  ).action(async (run: string, options) => {
    const { eventsCommand } = await import('./commands/reading/events.ts');
    done(await eventsCommand(run, options));
  });
  reading(
    program
      .command('tail')
      .summary('what a run does, line by line, until it ends; also one that another process runs')
      .argument('<run>')
      .option('-n, --lines <count>', 'so many lines of what was before (default: all)', wholeNumber),
  ).action(async (run: string, options) => {
    const { tailCommand } = await import('./commands/reading/tail.ts');
    done(await tailCommand(run, options));
  });
  reading(program.command('pending').summary('what of a run waits for you').argument('<run>')).action(
    async (run: string, options) => {
      const { pendingCommand } = await import('./commands/reading/pending.ts');
      done(await pendingCommand(run, options));
    },
  );
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('It must be a whole number from 0 up.');
  return number;
}
