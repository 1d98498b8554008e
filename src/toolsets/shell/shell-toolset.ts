import type { ToolContext } from '../../core/tool/tool.ts';
import type { ToolsetKind } from '../../core/tool/toolset.ts';
import { environmentWords, programSettings, toProgramSettings } from '../process/program-settings.ts';
import { sandboxUse, sandboxWords, toSandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { commandTools } from './command-tools.ts';
import { runCommandTool } from './run-command.ts';
import { ShellHost } from './shell-host.ts';

/** Toolset `shell`: commands in sessions that last as long as their agent, in a sandbox unless the settings turn it off. */
export const shellToolset: ToolsetKind = {
  kind: 'shell',
  description: 'Bash commands in the workspace: sessions, background commands, limits.',
  settings: { type: 'object', additionalProperties: false, properties: programSettings('120s') },
  tools: ['run_command', 'read_command_output', 'list_commands', 'stop_command'],
  reaches: (settings) => [
    {
      kind: 'command',
      text: `commands that agents write, in bash, ${sandboxWords(toSandboxPolicy(settings))}${environmentWords(settings)}`,
    },
  ],
  create: (request) => {
    const settings = toProgramSettings(request, 120_000);
    const hostOf = (context: ToolContext): Promise<ShellHost> =>
      context.live.agent.open(`shell:${request.name}`, () => ShellHost.open(settings));
    const runCommand = { ...runCommandTool(request, settings, hostOf), sandbox: sandboxUse(settings.policy) };
    return { tools: [runCommand, ...commandTools(request, hostOf)] };
  },
};
