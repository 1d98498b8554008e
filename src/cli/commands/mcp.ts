import { randomBytes } from 'node:crypto';
import { serveOnStdio } from '../../server/mcp/serve-stdio.ts';
import { serveOverHttp } from '../../server/mcp/serve-http.ts';
import type { TeamServerOptions } from '../../server/mcp/team-server.ts';
import { chooseProfile } from '../choose-profile.ts';
import type { ExitCode } from '../exit-code.ts';
import { Interruption } from '../interruption.ts';
import { openTeams } from '../open-teams.ts';
import { launchOptions, type RunOptions } from './run.ts';

/** Options of `mcp`. */
export interface McpOptions extends RunOptions {
  readonly http?: boolean;
  readonly port?: number;
  readonly token?: boolean;
  readonly allowDecisions?: boolean;
}

/** The variable that holds the token which clients must bear. */
const tokenVariable = 'CADRE_MCP_TOKEN';

/** Serves the teams to MCP clients until the client leaves or the process is told to stop; runs stay resumable. */
export async function mcpCommand(options: McpOptions): Promise<ExitCode> {
  const tell = (text: string): void => void process.stderr.write(text);
  using interruption = new Interruption();
  interruption.lastWords = 'Stopped at once; runs can be resumed.\n';
  await using teams = await openTeams(options, 'mcp');
  const { engine } = teams;
  const served: TeamServerOptions = {
    engine,
    defaultProfile: chooseProfile(engine.profiles, options.profile),
    launch: launchOptions(options),
    allowDecisions: options.allowDecisions ?? false,
    signal: interruption.signal,
  };
  if (options.http === true) await serveHttp(served, options, interruption, tell);
  else await serveOnStdio(served);
  return 0;
}

async function serveHttp(
  served: TeamServerOptions,
  options: McpOptions,
  interruption: Interruption,
  tell: (text: string) => void,
): Promise<void> {
  const given = process.env[tokenVariable];
  const token = options.token === true ? (given ?? randomBytes(24).toString('base64url')) : undefined;
  const server = await serveOverHttp({ ...served, port: options.port ?? 0, ...(token === undefined ? {} : { token }) });
  tell(`Serving teams at ${server.url} (Ctrl-C ends it; runs can be resumed).\n`);
  // A token of the user's own is known to the user, and does not belong in a log.
  if (token !== undefined && given === undefined) tell(`Authorization: Bearer ${token}\n`);
  try {
    await interruption.asked;
  } finally {
    await server.close();
  }
}
