import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { describeEnd, describeStreams } from '../process/describe-output.ts';
import { longestMs, type ProgramSettings } from '../process/program-settings.ts';
import type { ProcessEnd } from '../process/running-process.ts';
import type { ShellCommand, ShellHost } from './shell-host.ts';

/** Maximum length of a command, in characters. */
const maxCommandChars = 1024 * 1024;
/** Time a command has to end by itself when its call is aborted, in milliseconds. */
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
      description: 'Do not wait: it continues while you do other things, and changes nothing in its session.',
    },
    stdin: { type: 'string', description: 'Text it can read from its standard input; otherwise there is nothing to read.' },
    restart: { type: 'boolean', description: 'Start the session again, in the workspace.' },
  },
} as const;

/** Creates `run_command`, which runs a command in a session of the agent. */
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
  const text = describeCommand(command, end, placeOf(host.session(request.session).cwd, workspace));
  return toolReturn({ content: text, ...(end.cause === 'exit' && end.notes.length === 0 ? {} : { isError: true }) });
}

/** Describes a command that is over for the model: its end, then both streams. */
function describeCommand(command: ShellCommand, end: ProcessEnd, place: string): string {
  const { id, request, stdout, stderr, stateKept, leftRunning, isFirst } = command;
  const lines = [
    `${id}: ${describeEnd(end)}; ${isFirst ? 'new session' : 'session'} ${JSON.stringify(request.session)}, in ${place}`,
  ];
  if (leftRunning > 0)
    lines.push(
      `${leftRunning} process(es) it had left running were ended: a command's processes end with it. Use background: true for what must go on.`,
    );
  if (stateKept === false) lines.push('What it changed in its session (folder, variables, functions) was not kept.');
  return [...lines, ...describeStreams(stdout, stderr), ...end.notes].join('\n');
}

function placeOf(cwd: string | undefined, workspace: string): string {
  if (cwd === undefined) return 'the workspace';
  const relative = path.relative(realpathSync(workspace), cwd);
  if (relative === '') return 'the workspace';
  return relative.startsWith('..') ? cwd : relative;
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
