import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { longestMs, type ProgramSettings } from '../process/program-settings.ts';
import { describeCommand } from './describe-command.ts';
import type { ShellCommand, ShellHost } from './shell-host.ts';

/** Longest command, in characters. */
const maxCommandChars = 1024 * 1024;
/** How long a command gets to end when its agent no longer wants it. */
const abortGraceMs = 1000;

const parameters = {
  type: 'object',
  required: ['command'],
  additionalProperties: false,
  properties: {
    command: { type: 'string', minLength: 1, description: 'What bash is to run; several lines are fine.' },
    session: {
      type: 'string',
      pattern: '^[A-Za-z0-9_.-]{1,60}$',
      description: 'The session to run it in; default "main". A session keeps its folder, variables, functions and options.',
    },
    timeout: { type: 'number', exclusiveMinimum: 0, maximum: longestMs / 1000, description: 'Longest time, in seconds.' },
    background: {
      type: 'boolean',
      description: 'Do not wait: it goes on while you do other things, and changes nothing in its session.',
    },
    stdin: { type: 'string', description: 'Text it can read from its standard input; otherwise there is nothing to read.' },
    restart: { type: 'boolean', description: 'Begin the session anew, in the workspace.' },
  },
} as const;

/** `run_command`: runs a command in a session of the agent's own. */
export function runCommandTool(
  { name, toolName }: ToolsetRequest,
  settings: ProgramSettings,
  hostOf: (context: ToolContext) => Promise<ShellHost>,
): EffectTool {
  return defineTool({
    name: toolName('run_command'),
    description:
      'Runs a bash command in the workspace and gives its exit code, standard output and standard error. Sessions keep folder, ' +
      'variables and functions between commands. There is no terminal: use options that ask nothing. Processes end with the ' +
      'command that started them, unless it runs in the background.',
    toolset: name,
    parameters,
    effect: 'unsafe',
    concurrency: 'serial',
    needs_approval: true,
    by_name_only: true,
    trust: 'untrusted',
    timeout_ms: longestMs + 60_000,
    execute: async (args, context) => {
      const command = textOf(args, 'command');
      if (command.includes('\0')) throw refused('a command cannot have a NUL character in it');
      if (command.length > maxCommandChars)
        throw refused(`a command has at most ${maxCommandChars} characters; write a script to a file and run that`);
      const host = await hostOf(context);
      const session = textOf(args, 'session', 'main');
      if (args['restart'] === true) host.session(session).restart();
      const background = args['background'] === true;
      const timeoutMs = typeof args['timeout'] === 'number' ? args['timeout'] * 1000 : background ? undefined : settings.timeoutMs;
      const started = await host.start(
        {
          command,
          session,
          background,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          ...(typeof args['stdin'] === 'string' ? { stdin: args['stdin'] } : {}),
        },
        context,
      );
      if (background) return startedText(started);
      await untilOver(started, context.signal);
      return resultOf(started, host, context.workspace);
    },
  });
}

async function untilOver(command: ShellCommand, signal: AbortSignal): Promise<void> {
  const stop = (): void => void command.process.stop('stopped', abortGraceMs);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await command.ended;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function resultOf(command: ShellCommand, host: ShellHost, workspace: string): ToolReturn {
  const { end, request } = command;
  if (end === undefined) throw new CadreError('INTERNAL', `command ${command.id} is over and has no end`);
  const text = describeCommand(command, end, host.session(request.session).cwd, workspace);
  return toolReturn({ content: text, ...(end.cause === 'exit' && end.notes.length === 0 ? {} : { isError: true }) });
}

function startedText({ id }: ShellCommand): string {
  return `${id} is running in the background. read_command_output reads what it writes, stop_command ends it; it ends with you.`;
}

function textOf(args: JsonObject, key: string, otherwise = ''): string {
  const value = args[key];
  return typeof value === 'string' ? value : otherwise;
}

function refused(why: string): CadreError {
  return new CadreError('TOOL_ARGUMENTS_INVALID', `command: ${why}.`);
}
