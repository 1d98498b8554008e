import type { AuthInfo, CallToolResult, McpRequestContext, Server, Tool } from '@modelcontextprotocol/server';
import { actors } from '../../core/by.ts';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { cutMiddle } from '../../core/cut-middle.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { engineVersion } from '../../engine/version.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { assertMay, roleFor } from '../access/access-table.ts';
import { includesRole, isRole, type Person } from '../../core/roles.ts';
import { readingTools } from './reading-tools.ts';
import { decidingTool, runningTools } from './running-tools.ts';
import type { ServerLibrary } from './server-library.ts';
import type { TeamCall, TeamTool } from './team-tool.ts';
import { readJson } from '../../core/read-json.ts';

/** Maximum length of a tool's answer, in characters. */
const maxAnswerChars = 60_000;
/** Maximum number of concurrent calls; more are refused. */
const maxCalls = 64;
const unknownPerson: Person = { name: actors.anyone, role: 'operate' };

/** Options of an MCP server for the teams of an engine. */
export interface TeamServerOptions {
  readonly engine: Engine;
  /** Profile of runs that name none. */
  readonly defaultProfile: string;
  /** Launch options of every run: limits, LLM config, workspace. */
  readonly launch?: LaunchOptions;
  /** Lets clients approve calls that wait for a person. */
  readonly allowDecisions?: boolean;
  /** Who calls over standard input and output; requests over HTTP bring their own person. */
  readonly person?: Person;
  /** Aborted when the server stops: waiting calls are answered, their runs stay resumable. */
  readonly signal: AbortSignal;
}

/** Returns a factory of servers that offer the teams of one engine: one per connection, or per request. */
export function teamServerFactory(
  library: ServerLibrary,
  options: TeamServerOptions,
): (context?: Pick<McpRequestContext, 'authInfo'>) => Server {
  const { engine, defaultProfile, launch = {}, signal: stopped } = options;
  const tools = [
    ...runningTools(engine, defaultProfile, launch),
    ...readingTools(engine),
    ...(options.allowDecisions === true ? [decidingTool()] : []),
  ];
  const byName = new Map<string, TeamTool>(tools.map((tool) => [tool.name, tool]));
  let running = 0;
  return (context) => {
    const person = personIn(context?.authInfo) ?? options.person ?? unknownPerson;
    const server = new library.Server(
      { name: 'cadre', version: engineVersion },
      {
        capabilities: { tools: {} },
        instructions:
          'Gives tasks to teams of agents (run_team), sends them messages, and shows all their turns (list_turns, get_turn, why).',
      },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: tools.filter(({ name }) => includesRole(person.role, roleFor(`MCP ${name}`))).map(describeTool),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = byName.get(params.name);
      if (tool === undefined) {
        const message = `there is no tool '${params.name.slice(0, 100)}'; there are ${[...byName.keys()].join(', ')}`;
        throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, message);
      }
      if (running >= maxCalls)
        return failure(new CadreError('LIMIT_REACHED', `${maxCalls} calls are being worked on; try again later`));
      running += 1;
      try {
        const progressToken = mcpReq._meta?.progressToken;
        let count = 0;
        const progress = (message: string): void => {
          if (progressToken === undefined) return;
          count += 1;
          // A client that has disconnected gets no progress; its signal ends the call.
          mcpReq
            .notify({ method: 'notifications/progress', params: { progressToken, progress: count, message } })
            .catch(() => undefined);
        };
        return await callTool(tool, toWire(params.arguments ?? {}), {
          engine,
          person,
          signal: AbortSignal.any([mcpReq.signal, stopped]),
          progress,
        });
      } finally {
        running -= 1;
      }
    });
    return server;
  };
}

function describeTool({ name, title, description, inputSchema, readOnly }: TeamTool): Tool {
  const annotations = { readOnlyHint: readOnly, destructiveHint: name === 'cancel_run', openWorldHint: !readOnly };
  return { name, title, description, inputSchema, annotations };
}

/** Returns the person that the HTTP server has found for a request. */
function personIn(authInfo: AuthInfo | undefined): Person | undefined {
  const role = authInfo?.scopes[0];
  return authInfo === undefined || !isRole(role) ? undefined : { name: authInfo.clientId, role };
}

async function callTool(tool: TeamTool, args: unknown, ports: Omit<TeamCall, 'args'>): Promise<CallToolResult> {
  try {
    assertMay(ports.person, `MCP ${tool.name}`);
    const checked = checkArguments(tool, args);
    const { text, data, whole: asked = [] } = await tool.run({ ...ports, args: checked });
    const whole = data === undefined ? undefined : JSON.stringify(data);
    const cut = cutMiddle(text, maxAnswerChars, (left) => `\n… ${left} characters left out …\n`);
    const fits = whole !== undefined && whole.length <= maxAnswerChars;
    return {
      content: [{ type: 'text', text: [cut, ...asked].join('\n\n') }],
      ...(fits ? { structuredContent: readJson(whole) as Record<string, unknown> } : {}),
    };
  } catch (thrown) {
    return failure(thrown);
  }
}

function checkArguments(tool: TeamTool, args: unknown): JsonObject {
  if (!isJsonObject(args)) throw new CadreError('TOOL_ARGUMENTS_INVALID', `${tool.name}: the arguments must be an object`);
  const problems = compileSchema(tool.inputSchema, tool.name).problems(args);
  if (problems.length === 0) return args;
  const listed = problems.map(({ path, message }) => `${path === '' ? 'the arguments' : path} ${message}`).join('; ');
  throw new CadreError('TOOL_ARGUMENTS_INVALID', `${tool.name}: ${listed}`);
}

function failure(thrown: unknown): CallToolResult {
  const { code, message } = toErrorRecord(thrown, 'INTERNAL');
  return { content: [{ type: 'text', text: `${code}: ${message}` }], isError: true };
}
