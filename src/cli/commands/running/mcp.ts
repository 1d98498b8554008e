import { CadreError } from '../../../core/error.ts';
import { ClientModel } from '../../../models/client-model.ts';
import { serveOnStdio } from '../../../server/mcp/serve-stdio.ts';
import { serveOverHttp } from '../../../server/mcp/serve-http.ts';
import { teamServerFactory, type TeamServerOptions } from '../../../server/mcp/team-server.ts';
import { ToolDesk } from '../../../server/mcp/tool-desk.ts';
import { toolServerFactory } from '../../../server/mcp/tool-server.ts';
import { clientPerson } from '../../access/local-by.ts';
import { type AccessFlags, servingAccess } from '../../access/serving-access.ts';
import { chooseProfile } from '../../options/choose-profile.ts';
import type { ExitCode } from '../../exit-code.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { ProfileWatch } from '../../profile-watch.ts';
import { openTeams } from '../../options/open-teams.ts';
import { launchOptions, type RunOptions } from './run.ts';

/** Options of `mcp`. */
export interface McpOptions extends RunOptions, AccessFlags {
  readonly http?: boolean;
  readonly port?: number;
  readonly allowDecisions?: boolean;
  readonly toolsOf?: string;
}

/** Name of the client among LLM configs. */
const clientConfig = 'mcp_client';

/** Environment variable with the token of clients. */
const tokenVariable = 'CADRE_MCP_TOKEN';

const tell = (text: string): void => void process.stderr.write(text);

/** Serves the teams to MCP clients until the client disconnects or a signal asks to stop; runs stay resumable. */
export async function mcpCommand(options: McpOptions): Promise<ExitCode> {
  using interruption = new Interruption();
  interruption.exitMessage = 'Stopped immediately; runs can be resumed.\n';
  if (options.toolsOf !== undefined) return await serveTools(options.toolsOf, options, interruption);
  await using teams = await openTeams(options, { command: 'mcp' });
  const { engine } = teams;
  using watch = new ProfileWatch({ folder: teams.profiles, loaded: engine.profiles.files, restart: 'cadre mcp', tell });
  await watch.started;
  const served: TeamServerOptions = {
    engine,
    defaultProfile: chooseProfile(engine.profiles, options.profile),
    launch: launchOptions(options),
    allowDecisions: options.allowDecisions ?? false,
    person: clientPerson(),
    signal: interruption.signal,
  };
  if (options.http === true) await serveHttp(served, options, interruption);
  else await serveOnStdio((library) => teamServerFactory(library, served), interruption.signal);
  return 0;
}

/** Serves the tools of a profile to the client that started this process, with sessions, files and browsers for it alone. */
async function serveTools(profile: string, options: McpOptions, { signal }: Interruption): Promise<ExitCode> {
  if (options.http === true)
    throw new CadreError('OPTION_INVALID', '--tools-of serves only the client that starts it, over stdio; leave out --http');
  const client = new ClientModel();
  await using teams = await openTeams(options, { command: 'mcp', models: { [clientConfig]: client.model } });
  const launch = { ...launchOptions(options), llmConfig: clientConfig, by: clientPerson().name };
  const { engine } = teams;
  const desk = new ToolDesk({ engine, client, profile: chooseProfile(engine.profiles, profile), launch });
  try {
    await serveOnStdio((library) => toolServerFactory(library, desk, signal), signal);
  } finally {
    await desk.close();
  }
  return 0;
}

async function serveHttp(served: TeamServerOptions, options: McpOptions, interruption: Interruption): Promise<void> {
  const { location } = served.engine;
  const access = await servingAccess({ ...options, location, variable: tokenVariable, tell });
  const server = await serveOverHttp({ ...served, port: options.port ?? 0, ...access.options });
  tell(`Serving teams at ${server.url} (Ctrl-C stops it; runs can be resumed).\n`);
  if (access.shown !== undefined) tell(`Authorization: Bearer ${access.shown}\n`);
  try {
    await interruption.asked;
  } finally {
    await server.close();
  }
}
