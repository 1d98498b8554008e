import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { cutMiddle } from '../../core/cut-middle.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { engineVersion } from '../../engine/version.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { readingTools } from './reading-tools.ts';
import { decidingTool, runningTools } from './running-tools.ts';
import type { ServerLibrary } from './server-library.ts';
import type { TeamTool } from './team-tool.ts';
import { readJson } from '../../core/read-json.ts';

/** Maximum length of a tool's answer, in characters. */
const maxAnswerChars = 60_000;
/** Maximum number of concurrent calls; more are refused. */
const maxCalls = 64;

/** Options of an MCP server for the teams of an engine. */
export interface TeamServerOptions {
  readonly engine: Engine;
  /** Profile of runs that name none. */
  readonly defaultProfile: string;
  /** Launch options of every run: limits, LLM config, workspace. */
  readonly launch?: LaunchOptions;
  /** Lets clients approve calls that wait for a person. */
  readonly allowDecisions?: boolean;
  /** Aborted when the server stops: waiting calls are answered, their runs stay resumable. */
  readonly signal: AbortSignal;
}

/** Returns a factory of servers that offer the teams of one engine: one per connection, or per request. */
export function teamServerFactory(library: ServerLibrary, options: TeamServerOptions): () => Server {
  const { engine, defaultProfile, launch = {}, signal: stopped } = options;
  const tools = [
    ...runningTools(engine, defaultProfile, launch),
    ...readingTools(engine),
    ...(options.allowDecisions === true ? [decidingTool()] : []),
  ];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = tools.map(({ name, title, description, inputSchema, readOnly }) => ({
    name,
    title,
    description,
    inputSchema,
    annotations: { readOnlyHint: readOnly, destructiveHint: name === 'cancel_run', openWorldHint: !readOnly },
  }));
  let running = 0;
  return () => {
    const server = new library.Server(
      { name: 'cadre', version: engineVersion },
      {
        capabilities: { tools: {} },
        instructions:
          'Gives tasks to teams of agents (run_team), sends them messages, and shows all their turns (list_turns, get_turn, why).',
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const tool = byName.get(params.name);
      if (tool === undefined) {
        const message = `there is no tool '${params.name.slice(0, 100)}'; there are ${[...byName.keys()].join(', ')}`;
        throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, message);
      }
      if (running >= maxCalls)
        return failure(new CadreError('LIMIT_REACHED', `${maxCalls} calls are being worked on; try again later`));
      running += 1;
      try {
        const { signal } = context.mcpReq;
        const progressToken = context.mcpReq._meta?.progressToken;
        let count = 0;
        const progress = (message: string): void => {
          if (progressToken === undefined) return;
          count += 1;
          // A client that has disconnected gets no progress; its signal ends the call.
          context.mcpReq
            .notify({ method: 'notifications/progress', params: { progressToken, progress: count, message } })
            .catch(() => undefined);
        };
        return await callTool(tool, toWire(params.arguments ?? {}), {
          engine,
          signal: AbortSignal.any([signal, stopped]),
          progress,
        });
      } finally {
        running -= 1;
      }
    });
    return server;
  };
}

async function callTool(
  tool: TeamTool,
  args: unknown,
  ports: { readonly engine: Engine; readonly signal: AbortSignal; readonly progress: (message: string) => void },
): Promise<CallToolResult> {
  try {
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
