import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { describeEnd } from '../process/describe-output.ts';
import type { ShellCommand, ShellHost } from './shell-host.ts';

/** Maximum bytes of one stream per read. */
const readBytes = 12_000;
/** Maximum wait for the end of a command, in seconds. */
const longestWait = 60;

const id = { type: 'string', maxLength: 20, description: 'The id of the command, like c3.' } as const;

type HostOf = (context: ToolContext) => Promise<ShellHost>;

/** Creates `read_command_output`, `list_commands` and `stop_command`, which work on started commands. */
export function commandTools(request: ToolsetRequest, hostOf: HostOf): readonly EffectTool[] {
  return [readTool(request, hostOf), listTool(request, hostOf), stopTool(request, hostOf)];
}

function common({ name }: ToolsetRequest) {
  return { toolset: name, by_name_only: true, trust: 'untrusted' } as const;
}

function readTool(request: ToolsetRequest, hostOf: HostOf): EffectTool {
  return defineTool({
    ...common(request),
    name: request.toolName('read_command_output'),
    description:
      'Returns the state of a command and its output since the last read. With stream and from: the bytes from there on.',
    parameters: {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: {
        id,
        wait: { type: 'number', minimum: 0, maximum: longestWait, description: 'Seconds to wait for its end; default 0.' },
        stream: { enum: ['stdout', 'stderr'] },
        from: { type: 'integer', minimum: 0, description: 'The first byte to read.' },
      },
    },
    effect: 'idempotent',
    polls: true,
    execute: async (args, context) => {
      const command = (await hostOf(context)).command(String(args['id']));
      const wait = typeof args['wait'] === 'number' ? args['wait'] : 0;
      if (wait > 0 && command.end === undefined) await endOrTime(command, wait * 1000, context.signal);
      const stream = args['stream'] === 'stderr' ? 'stderr' : 'stdout';
      if (args['stream'] !== undefined || typeof args['from'] === 'number')
        return `${statusOf(command)}\n${partOf(command, stream, Number(args['from'] ?? 0))}`;
      return `${statusOf(command)}\n${newOutput(command)}`;
    },
  });
}

function listTool(request: ToolsetRequest, hostOf: HostOf): EffectTool {
  return defineTool({
    ...common(request),
    name: request.toolName('list_commands'),
    description: 'Lists your sessions, the commands that run, and the last ones that are over.',
    parameters: { type: 'object', additionalProperties: false, properties: {} },
    effect: 'pure',
    polls: true,
    execute: async (_args, context) => {
      const host = await hostOf(context);
      const lines = host.commands.map((command) => `${statusOf(command).split('\n', 1)[0]}: ${firstLine(command.request.command)}`);
      const sessions = host.sessions.length === 0 ? 'none yet' : host.sessions.join(', ');
      return [`Sessions: ${sessions}`, ...(lines.length === 0 ? ['No commands yet.'] : lines)].join('\n');
    },
  });
}

function stopTool(request: ToolsetRequest, hostOf: HostOf): EffectTool {
  return defineTool({
    ...common(request),
    name: request.toolName('stop_command'),
    description: 'Ends a running command and everything it started.',
    parameters: { type: 'object', required: ['id'], additionalProperties: false, properties: { id } },
    effect: 'idempotent',
    execute: async (args, context) => {
      const command = (await hostOf(context)).command(String(args['id']));
      await command.process.stop();
      await command.ended;
      return `${statusOf(command)}\n${newOutput(command)}`;
    },
  });
}

function statusOf(command: ShellCommand): string {
  const { end } = command;
  if (end !== undefined) return [`${command.id}: ${describeEnd(end)}`, ...end.notes].join('\n');
  return `${command.id}: running for ${((performance.now() - command.process.startedAt) / 1000).toFixed(0)} s`;
}

function newOutput(command: ShellCommand): string {
  const parts = (['stdout', 'stderr'] as const)
    .filter((stream) => command[stream].bytes > command.read[stream])
    .map((stream) => partOf(command, stream, command.read[stream]));
  return parts.length === 0 ? '(nothing new)' : parts.join('\n');
}

function partOf(command: ShellCommand, stream: 'stdout' | 'stderr', from: number): string {
  const part = command[stream].read(from, readBytes);
  command.read[stream] = Math.max(command.read[stream], part.to);
  const more = part.to < part.bytes ? `; read on from ${part.to}` : '';
  return `--- ${stream} (bytes ${part.from} to ${part.to} of ${part.bytes}${more})\n${part.text}`;
}

async function endOrTime(command: ShellCommand, ms: number, signal: AbortSignal): Promise<void> {
  const waited = Promise.withResolvers<void>();
  const timer = setTimeout(() => waited.resolve(), ms);
  const stop = (): void => waited.resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([command.ended.catch(() => undefined), waited.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}

function firstLine(command: string): string {
  const line = command.split('\n', 1)[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
