import { Argument, type Command, Option } from 'commander';
import { completionScripts, type Shell, shells } from './completion/shell-scripts.ts';
import { templates } from './starter/templates/all-templates.ts';
import { schemaKinds, type SchemaKind } from './options/schema-kinds.ts';
import { colorOption, type Done, storeOption, strictOption } from './options/shared-options.ts';

/** Adds the commands for writing profiles: validate, test, eval, explain, schema, doctor, completion, prices, init. */
export function addAuthoringCommands(program: Command, done: Done): void {
  addCheckingCommands(program, done);
  addTest(program, done);
  addEval(program, done);
  addDoctor(program, done);
  addCompletion(program, done);
  addPrices(program, done);
  addInit(program, done);
}

function addCheckingCommands(program: Command, done: Done): void {
  program
    .command('validate')
    .summary('check profiles and list every problem with file:line:column')
    .argument(
      '[folder]',
      'the profiles, or a team that comes with Cadre: anges, openmanus, … (default: ./agent_profiles, else the bundled team)',
    )
    .option('--json', 'as JSON')
    .addOption(strictOption())
    .addOption(colorOption())
    .action(async (folder: string | undefined, options) => {
      const { validateCommand } = await import('./commands/validate.ts');
      done(await validateCommand(folder, options));
    });
  program
    .command('explain')
    .summary('show a profile after inheritance, or a toolset, with the file and line of each value')
    .argument('<profile>')
    .option(
      '--profiles <folder>',
      'the profiles, or a team that comes with Cadre: anges, openmanus, … (default: ./agent_profiles, else the bundled team)',
    )
    .option('--json', 'as JSON')
    .addOption(colorOption())
    .action(async (profile: string, options) => {
      const { explainCommand } = await import('./commands/explain.ts');
      done(await explainCommand(profile, options));
    });
  program
    .command('schema')
    .summary("print the JSON Schemas for editors, with the project's own names as completions")
    .addArgument(new Argument('[kind]', 'which one (default: all)').choices(schemaKinds))
    .option('--out <folder>', 'write the schemas as files')
    .option(
      '--project',
      'write them into the folder schemas of the project, where its files look for them; cadre dev keeps them fresh',
    )
    .option('--profiles <folder>', 'the profiles whose names become completions (default: ./agent_profiles, if it exists)')
    .option('--no-names', 'leave out names, so that the schemas fit every project')
    .action(async (kind: SchemaKind | undefined, options) => {
      const { schemaCommand } = await import('./commands/schema.ts');
      done(await schemaCommand(kind, options));
    });
}

function addDoctor(program: Command, done: Done): void {
  program
    .command('doctor')
    .summary('check what runs of this project need: models, keys, packages, sandbox, browser, journal')
    .option(
      '--profiles <folder>',
      'the profiles, or a team that comes with Cadre (default: ./agent_profiles, else the bundled team)',
    )
    .addOption(storeOption())
    .option('--call', 'call each model once, with a reply of at most 16 tokens')
    .option('--offline', 'contact nothing outside this machine')
    .option('--trust', 'trust the profiles with the programs, variables and addresses they name, and remember this')
    .option('--json', 'as JSON')
    .addOption(colorOption())
    .action(async (options) => {
      const { doctorCommand } = await import('./commands/doctor.ts');
      done(await doctorCommand(options));
    });
}

function addCompletion(program: Command, done: Done): void {
  program
    .command('completion')
    .summary('print the script that completes commands, options, runs and profiles in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action((shell: Shell) => {
      process.stdout.write(completionScripts[shell]);
      done(0);
    });
}

function addTest(program: Command, done: Done): void {
  program
    .command('test')
    .summary('test profiles without a model, from *.test.yaml files and recorded turns')
    .argument(
      '[path...]',
      'test files, profiles with tests, folders with them, or a team that comes with Cadre (default: the profiles folder)',
    )
    .option(
      '--profiles <folder>',
      'the profiles to test, or a team that comes with Cadre (default: the team that each file belongs to, else ./agent_profiles)',
    )
    .option('--filter <text>', 'only cases with this text in their name, file or profile')
    .option('--watch', 'run again whenever a profile or test changes, until Ctrl-C')
    .addOption(new Option('--reporter <kind>', 'the form of the results (default: text)').choices(['text', 'json', 'junit']))
    .option('--update', 'write snapshots that are new or differ')
    .addOption(strictOption())
    .option('--coverage', 'list the rules, observers, segments, strategies, tools and gates that no case exercised')
    .option('--from <run-and-turn...>', 'write a test from a recorded turn: --from RUN TURN')
    .option('--out <file>', 'the test file that --from writes (default: TURN.test.yaml beside the profile)')
    .addOption(storeOption())
    .addOption(colorOption())
    .action(async (paths: readonly string[], options) => {
      const { testCommand } = await import('./commands/test.ts');
      done(await testCommand(paths, options));
    });
}

function addEval(program: Command, done: Done): void {
  program
    .command('eval')
    .summary('run an eval suite: cases with each variant of profiles or models, checked and compared')
    .argument('<suite>', 'an eval suite (*.eval.yaml)')
    .option(
      '--profiles <folder>',
      'the profiles when the suite names none, or a team that comes with Cadre (default: ./agent_profiles, else the bundled team)',
    )
    .option('--docs <folder>', 'the documents of the team')
    .option('--filter <text>', 'only cases with this text in their name')
    .option('--variant <name...>', 'only these variants')
    .option('--plan', 'print the number of runs and their estimated cost, and run nothing')
    .option('--again', 'run everything anew; without it, runs that the journal has are checked again and not repeated')
    .option('--retry', 'run again what ended in an error')
    .option('--bisect <folder>', 'find the change since these profiles that made a case fail; with --filter and --variant')
    .option('--baseline <file>', 'a report in JSON to compare with; what is worse beyond noise makes the exit code 1')
    .option('--out <file...>', 'write the report: .json (a baseline for later), .html, or .xml (JUnit)')
    .option('--record <file>', 'record the answers of models and tools in a file, for --replay')
    .option('--replay <file>', 'answer from a recording: calls no model and no tool')
    .option('--json', 'print the report as JSON')
    .option('--trust', 'trust the profiles with the programs, variables and addresses they name, and remember this')
    .addOption(strictOption())
    .addOption(storeOption())
    .addOption(colorOption())
    .addHelpText(
      'after',
      '\nExit codes: 0 enough runs passed, 1 too few did, something is worse than the baseline, or the budget is used up, 2 bad input, 130 interrupted.',
    )
    .action(async (suite: string, options) => {
      const { evalCommand } = await import('./commands/eval.ts');
      done(await evalCommand(suite, options));
    });
}

function addPrices(program: Command, done: Done): void {
  program
    .command('prices')
    .summary('list model prices, which cost limits use; --update fetches a price list')
    .argument('[models...]', 'provider/model, or a provider (default: all)')
    .option('--profiles <folder>', 'the team whose price files count (default: ./agent_profiles, else the bundled team)')
    .option('--update', "fetch the prices of these providers and write them to the team's prices.yaml")
    .option('--from <address>', 'the address of the price list (default: models.dev)')
    .option('--out <file>', 'the file to write')
    .option('--force', 'replace an existing file')
    .option('--json', 'as JSON')
    .action(async (models: readonly string[], options) => {
      const { pricesCommand } = await import('./commands/reading/prices.ts');
      done(await pricesCommand(models, options));
    });
}

function addInit(program: Command, done: Done): void {
  program
    .command('init')
    .summary('write a new project, ready to run')
    .argument('[folder]', 'the folder to write (default: the working folder)')
    .addOption(new Option('--template <name>', 'what it is for (default: research)').choices(templates.map(({ name }) => name)))
    .option('--force', 'write into a folder that is not empty and replace files of the same name')
    .action(async (folder: string | undefined, options) => {
      const { initCommand } = await import('./commands/init.ts');
      done(await initCommand(folder, options));
    });
}
