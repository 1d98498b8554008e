import { existsSync } from 'node:fs';
import { CadreError, describeThrown } from '../../../core/error.ts';
import type { Journal } from '../../../core/events/journal.ts';
import type { Engine } from '../../../engine/engine.ts';
import { toTerminalText } from '../../../inspect/format/text/terminal-text.ts';
import { type AccessFlags, servingAccess, tokenVariable } from '../../access/serving-access.ts';
import { chooseProfile } from '../../options/choose-profile.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openJournal } from '../../options/open-journal.ts';
import { type RestateFlags, restateOf } from '../../options/restate-option.ts';
import { isServerStore } from '../../options/server-store.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { openTeams, type Teams } from '../../options/open-teams.ts';
import { FolderTests } from '../../dev/folder-tests.ts';
import { forkOnKey } from '../../dev/fork-key.ts';
import { reloadProfiles, schemasLine } from '../../dev/reload-profiles.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { abandonedRunsLine, resumeAbandoned } from '../../runs/resume-abandoned.ts';
import { ProfileWatch, type ProfileWatchOptions } from '../../profile-watch.ts';
import { servePage } from '../../runs/serve-page.ts';
import { storePath } from '../../options/store-path.ts';
import { thisCommand } from '../../options/this-command.ts';
import { launchOptions, type RunOptions } from './run.ts';

/** Options of `serve`. */
export interface ServeCommandOptions extends RunOptions, RestateFlags, AccessFlags {
  readonly port?: number;
  readonly host?: string;
  readonly readOnly?: boolean;
  readonly allowHost?: readonly string[];
  /** False leaves interrupted runs alone; they are resumed by default. */
  readonly resume?: boolean;
  /** Loads profiles again when they change on disk: `cadre dev`. */
  readonly dev?: boolean;
}

/** Serves the page and the API until a signal asks to stop; runs stay resumable. */
export async function serveCommand(options: ServeCommandOptions): Promise<ExitCode> {
  const tell = (text: string): void => void process.stderr.write(text);
  using interruption = new Interruption();
  interruption.exitMessage = 'Stopped immediately; runs can be resumed.\n';
  const { port, host, readOnly = false, allowHost, profile } = options;
  // A read-only server writes nothing and needs no write permission.
  const journal = readOnly && options.store !== 'memory' ? await openReadOnly(options.store) : undefined;
  const runtime = await restateOf(options);
  await using teams = await openTeams(options, { command: 'serve', journal, runtime });
  const { engine } = teams;
  const access = await servingAccess({ ...options, location: engine.location, variable: tokenVariable, tell });
  using watch = new ProfileWatch({
    folder: teams.profiles,
    loaded: engine.profiles.files,
    restart: 'cadre serve',
    tell,
    ...(options.dev === true ? developing(teams, options) : {}),
  });
  await watch.started;
  using tests = new FolderTests({ folder: teams.profiles, store: options.store, isFollowing: options.dev === true });
  const served = await servePage(engine, {
    readOnly,
    tests,
    changedProfiles: () => watch.changed,
    profileProblem: () => watch.problem,
    launch: launchOptions(options),
    ...access.options,
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(allowHost === undefined ? {} : { allowedHosts: allowHost }),
    ...(profile === undefined ? {} : { defaultProfile: chooseProfile(engine.profiles, profile) }),
  });
  tell(`Cadre is at ${served.url}${access.query} (Ctrl-C stops it; runs can be resumed).\n${teams.unreadFilesLine}`);
  // After the address is printed: the server is reachable while runs are resumed.
  // Runs on workers go on without this server.
  if (!readOnly && options.store !== 'memory' && runtime === undefined) void resumeRuns(engine, options, tell);
  const pageOf = (runId: string): string => `${served.url}/#/runs/${encodeURIComponent(runId)}`;
  using _keys = options.dev === true ? forkOnKey({ engine, tell, pageOf }) : undefined;
  if (options.dev === true)
    tell(
      `Profiles are loaded when they change.${await schemasLine(teams.profiles)}${process.stdin.isTTY ? ' Press f to fork the newest run onto them.' : ''}\n`,
    );
  try {
    await interruption.asked;
  } finally {
    await served.close();
  }
  return 0;
}

/** Milliseconds between two looks at the profiles of `cadre dev`. */
const devIntervalMs = 300;

/** Settings of a watch that loads what has changed. */
function developing({ engine, profiles }: Teams, options: ServeCommandOptions): Partial<ProfileWatchOptions> {
  const { errorStyle: style } = openTerminal(options);
  return {
    every: devIntervalMs,
    reload: (changed) => reloadProfiles(engine, profiles, { changed, format: { style } }),
  };
}

/** Resumes runs that an earlier server abandoned, or counts them. An unreadable journal does not stop the server. */
async function resumeRuns(engine: Engine, options: ServeCommandOptions, tell: (text: string) => void): Promise<void> {
  try {
    if (options.resume === false) tell(await abandonedRunsLine(engine, options.store));
    else await resumeAbandoned(engine, { file: storePath(options.store), store: options.store, tell });
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'ENGINE_CLOSED') return;
    tell(`error: the search for interrupted runs failed: ${toTerminalText(describeThrown(thrown), { maxLine: 2_000, maxLines: 20 })}
`);
  }
}

async function openReadOnly(store: string | undefined): Promise<Journal> {
  const file = storePath(store);
  if (isServerStore(store) || existsSync(file)) return await openJournal(store, { readOnly: true });
  const run = thisCommand(['run', 'a question'], store);
  throw new CadreError(
    'STORE_FAILED',
    `${file} does not exist, and --read-only creates no journal; start a first run (${run}), or serve without --read-only`,
    { details: { file } },
  );
}
