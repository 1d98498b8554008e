import path from 'node:path';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import type { Reach, Toolset, ToolsetHost, ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import { programWords } from '../../files/programs/agreed-program.ts';
import { rememberOpened } from '../sandbox/sandbox-files.ts';
import { sandboxWords } from '../sandbox/sandbox-policy.ts';
import { cleanText } from './clean-text.ts';
import { McpLink } from './mcp-link.ts';
import { mcpSettingsSchema, type McpSettings, type McpToolsetSettings } from './mcp-settings.ts';
import { createMcpTool } from './mcp-tool.ts';
import { readMcpSettings } from './read-mcp-settings.ts';
import type { ServerTool, ServerTools } from './server-tool.ts';
import { ToolCache } from './tool-cache.ts';

/** Longest text about tools that were left out, in characters. */
const maxRemark = 2_000;

/** Kind of toolset whose tools come from a server that speaks the Model Context Protocol. */
export const mcpToolsetKind: ToolsetKind = {
  kind: 'mcp',
  description: 'The tools of a server that speaks the Model Context Protocol, started as a program or called over HTTP.',
  settings: mcpSettingsSchema,
  tools: [],
  reaches: (settings, name) => serverReaches(readMcpSettings(name, settings).address),
  create: createMcpToolset,
};

/**
 * Creates the toolset of one MCP server in code: `createEngine({ toolsets: { files: mcpToolset({ command: 'npx', args: […] }) } })`. The
 * settings are those of a YAML file. The server is started when a run first needs it.
 */
export function mcpToolset(settings: McpToolsetSettings): (request: Pick<ToolsetRequest, 'name'>) => Toolset {
  return ({ name }) => createMcpToolset({ name, settings: toWire(settings) as JsonObject });
}

function createMcpToolset(request: Pick<ToolsetRequest, 'name' | 'settings' | 'unreadable'>): Toolset {
  const settings = readMcpSettings(request.name, request.settings, request.unreadable);
  if (settings.address.transport === 'stdio') rememberOpened(settings.address.sandbox);
  let link: McpLink | undefined;
  return {
    kind: 'mcp',
    tools: [],
    settingsFor: () => request.settings,
    connect: (host) => {
      const make = (tool: ServerTool): EffectTool =>
        createMcpTool({ toolset: request.name, name: `${request.name}_${tool.name}`, tool, settings, link: opened });
      const made = new ToolCache(make);
      const opened = new McpLink({
        name: request.name,
        settings,
        host,
        prepare: async ({ tools }) => await made.prepare(tools.filter((tool) => isWanted(tool, settings))),
        onTools: (found) => offer(found, { settings, host, make: (tool) => made.get(tool) }),
      });
      link = opened;
      opened.start();
    },
    close: async () => await link?.close(),
  };
}

/** Returns the reach of a server: its program with the variables it gets, or its address. */
function serverReaches(address: McpSettings['address']): readonly Reach[] {
  if (address.transport !== 'stdio') return [{ kind: 'destination', text: address.url }];
  const { command, args, cwd, env, inheritEnv, sandbox } = address;
  const folder = path.resolve(cwd ?? '.');
  const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));
  const words = [command, ...args].map(quoted);
  // Variables can run programs, too: NODE_OPTIONS, BASH_ENV, LD_PRELOAD.
  const given = Object.entries(env).map(([name, value]) => `${quoted(name)}=${quoted(value)} `);
  return [
    {
      kind: 'command',
      text: `${given.join('')}${words.join(' ')}${programWords({ argv: [command, ...args], folder, env })}, in ${folder}, ${sandboxWords(sandbox)}`,
    },
    ...inheritEnv.map((name): Reach => ({ kind: 'variable', text: name })),
  ];
}

interface OfferParts {
  readonly settings: McpSettings;
  readonly host: ToolsetHost;
  readonly make: (tool: ServerTool) => EffectTool;
}

/** Offers the usable tools; names the others, with the reason. */
function offer({ tools, leftOut }: ServerTools, { settings, host, make }: OfferParts): string | undefined {
  const problems = [...leftOut];
  const made: EffectTool[] = [];
  for (const tool of tools) {
    if (!isWanted(tool, settings)) continue;
    try {
      checkPin(tool, settings);
      made.push(make(tool));
    } catch (thrown) {
      problems.push(`'${tool.name}': ${toErrorRecord(thrown, 'TOOL_INVALID').message}`);
    }
  }
  for (const name of [...settings.tools.keys(), ...(settings.only ?? [])])
    if (tools.length > 0 && !tools.some((tool) => tool.name === name))
      problems.push(`the server has no tool '${name}', which the settings name`);
  host.setTools(made);
  return problems.length === 0 ? undefined : `left out: ${cleanText(problems.join('; '), maxRemark)}`;
}

function isWanted(tool: ServerTool, settings: McpSettings): boolean {
  return settings.tools.get(tool.name)?.enabled !== false && settings.only?.has(tool.name) !== false;
}

function checkPin(tool: ServerTool, settings: McpSettings): void {
  const pin = settings.tools.get(tool.name)?.pin;
  if (pin === undefined || pin === tool.fingerprint) return;
  throw new CadreError(
    'TOOL_INVALID',
    `its description or schema is not the pinned one; review it, and to accept it write tools: { ${tool.name}: { pin: ${tool.fingerprint} } } into the settings of the toolset`,
  );
}
