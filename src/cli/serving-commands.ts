import { type Command, InvalidArgumentError, Option } from 'commander';
import { existingFolder } from './options/option-values.ts';
import { withRestate } from './options/restate-option.ts';
import { type Done, running, storeOption, strictOption } from './options/shared-options.ts';

/** Adds the commands that serve runs and teams, or work on them for others. */
export function addServingCommands(program: Command, done: Done): void {
  const serving = (command: Command): Command =>
    running(command, { starts: true })
      .addOption(new Option('--port <number>', 'the port (default: 4111, or any free one)').argParser(wholeNumber))
      .option('--host <address>', 'the address to listen on (default: 127.0.0.1); others require --token or --users')
      .option('--token', 'require the token of CADRE_TOKEN, or a new one (default: CADRE_TOKEN, or the stored one of this journal)')
      .option('--users <file>', 'require the token of one of the users in this file, each with a role')
      .option('--open', 'ask for no token, and answer everyone on this machine')
      .option('--no-resume', 'do not resume the runs that an earlier server abandoned')
      .option('--allow-host <name...>', 'further host names to accept, such as those of a proxy');
  withRestate(serving(program.command('serve').summary('serve the page for inspecting and steering runs, with its API')))
    .option('--read-only', 'reject everything that starts, steers or ends a run')
    .action(async (options) => {
      const { serveCommand } = await import('./commands/running/serve.ts');
      done(await serveCommand(options));
    });
  serving(
    program.command('dev').summary('serve the page, load profiles when they change, and show which recorded turns that changes'),
  ).action(async (options) => {
    const { serveCommand } = await import('./commands/running/serve.ts');
    done(await serveCommand({ ...options, dev: true }));
  });
  addUsersCommand(program, done);
  addWorkerCommand(program, done);
  running(program.command('mcp').summary('serve the teams to MCP clients over stdio or HTTP'), { starts: true })
    .option('--http', 'serve over HTTP, on this machine only')
    .addOption(new Option('--port <number>', 'the port, with --http (default: any free one)').argParser(wholeNumber))
    .option('--token', 'with --http: require the token of CADRE_MCP_TOKEN, or a new one (default: that, or the stored one)')
    .option('--users <file>', 'with --http: require the token of one of the users in this file, each with a role')
    .option('--open', 'with --http: ask for no token, and answer everyone on this machine')
    .option('--allow-decisions', 'let clients decide pending approvals')
    .option('--tools-of <profile>', 'serve the tools of a profile instead of the teams, to one client over stdio')
    .action(async (options) => {
      const { mcpCommand } = await import('./commands/running/mcp.ts');
      done(await mcpCommand(options));
    });
}

function addUsersCommand(program: Command, done: Done): void {
  program
    .command('users')
    .summary('add people to the users of a server')
    .command('add')
    .summary('add a user, and print their token once')
    .argument('<name>', 'recorded with everything they do')
    .requiredOption('--role <role>', 'read, talk, approve or operate: each includes those before it')
    .option('--users <file>', 'the file to add them to', 'users.yaml')
    .action(async (name: string, options) => {
      const { usersAddCommand } = await import('./commands/users.ts');
      done(await usersAddCommand(name, options));
    });
}

function addWorkerCommand(program: Command, done: Done): void {
  withRestate(program.command('worker').summary('work on the runs of a journal for a Restate, with any number of other workers'))
    .addOption(storeOption())
    .option('--profiles <folder>', 'the profiles of runs that are as here (default: ./agent_profiles, else the bundled team)')
    .option('--docs <path>', 'the documents, a folder or one file')
    .option('--out <folder>', 'the folder for reports (default: .cadre/reports/worker)')
    .addOption(
      new Option('--workspace <folder>', 'the folder tools work in (default: .cadre/workspaces/RUN)').argParser(existingFolder),
    )
    .option('--trust', 'trust the profiles with the programs, variables and addresses they name, and remember this')
    .addOption(strictOption())
    .addOption(new Option('--port <number>', 'the port that Restate sends work to (default: 9080)').argParser(wholeNumber))
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option(
      '--address <url>',
      'the URL under which Restate reaches all workers, such as that of a load balancer (default: host and port)',
    )
    .option('--share-port', 'let several workers of this machine listen on one port')
    .option('--adopt', 'let the journal belong to this Restate from now on, when the one before is gone for good')
    .addOption(
      new Option('--grace <seconds>', 'seconds for running tools to end after SIGTERM (default: 30)').argParser(wholeNumber),
    )
    .action(async (options) => {
      const { workerCommand } = await import('./commands/running/worker.ts');
      done(await workerCommand(options));
    });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return number;
}
