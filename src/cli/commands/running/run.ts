import { CadreError } from '../../../core/error.ts';
import type { LaunchOptions } from '../../../engine/launch-options.ts';
import { checkProject } from '../../../engine/run-catalog.ts';
import { readRecording } from '../../../models/replay/read-recording.ts';
import { replayedPeople } from '../../../engine/effects/replayed-people.ts';
import { terminalBy } from '../../access/local-by.ts';
import { servingAccess, tokenVariable } from '../../access/serving-access.ts';
import { withFiles } from '../../options/attachments-option.ts';
import { chooseProfile } from '../../options/choose-profile.ts';
import { driveRun } from '../../runs/drive-run.ts';
import type { ExitCode } from '../../exit-code.ts';
import { closeInterrupted } from '../../runs/close-interrupted.ts';
import { finishRun, interruptedText, reportPending } from '../../runs/finish-run.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { unlessInterrupted } from '../../runs/unless-interrupted.ts';
import type { LimitsOption } from '../../options/option-values.ts';
import { type RestateFlags, restateOf } from '../../options/restate-option.ts';
import { profilesFolder } from '../../options/profiles-folder.ts';
import { openTerminal, type Terminal } from '../../terminal/terminal.ts';
import { thisCommand } from '../../options/this-command.ts';
import { openRecording, writeRecording } from '../../runs/write-recording.ts';
import { watchMode, watchRun } from '../../terminal/watcher.ts';
import { openRunSession } from '../../runs/run-session.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Run } from '../../../engine/run.ts';

/** Options of commands that start or resume a run. */
export interface RunOptions {
  readonly docs?: string;
  readonly profiles?: string;
  readonly profile?: string;
  readonly llm?: string;
  readonly store?: string;
  readonly out?: string;
  readonly workspace?: string;
  readonly limits?: LimitsOption;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  /** Prints replies without rendering Markdown. */
  readonly raw?: boolean;
  readonly color?: boolean;
}

/** Options of `run` alone: a page beside it, attachments, a file to record to, and one to replay from. */
export interface RecordOptions {
  readonly serve?: boolean;
  /** Serves the page to everyone on this machine. */
  readonly open?: boolean;
  readonly attach?: readonly string[];
  readonly record?: string;
  readonly replay?: string;
  readonly project?: string;
}

/** Runs a team on a question until it has nothing left to do, and prints its report. */
export async function runCommand(words: readonly string[], options: RunOptions & RecordOptions & RestateFlags): Promise<ExitCode> {
  const replay = options.replay === undefined ? undefined : await readRecording(options.replay);
  const input =
    replay !== undefined && words.length === 0 ? replay.start.input : await withFiles(await readQuestion(words), options.attach);
  if (options.record !== undefined) await openRecording(options.record);
  if (options.project !== undefined) checkProject(options.project);
  const terminal = openTerminal(options);
  using interruption = new Interruption();
  const runtime = await restateOf(options);
  await using session = await openRunSession({ ...options, profiles: profilesFolder(options.profiles), replay, runtime });
  const profile = chooseProfile(session.engine.profiles, options.profile ?? replay?.start.profile);
  const llm = options.llm ?? replay?.start.llmConfig;
  const request = options.request ?? replay?.start.request;
  const mode = watchMode(terminal, options);
  if (mode === 'live' || mode === 'lines')
    terminal.tell(session.openingLines(options.llm ?? session.engine.profiles.team?.llmConfig));
  const { engine } = session;
  const settings = launchOptions({
    ...options,
    ...(llm === undefined ? {} : { llm }),
    ...(request === undefined ? {} : { request }),
  });
  const run = await unlessInterrupted({ engine, interruption, terminal }, () => engine.launch({ profile, input }, settings));
  if (run === undefined) return 130;
  if (options.project !== undefined) await session.engine.catalog.move(run.id, options.project);
  const isOnWorkers = runtime !== undefined;
  interruption.exitMessage = interruptedText(run, options.store, isOnWorkers ? 'tail' : 'resume');
  await using page = options.serve === true ? await openPage(session.engine, run, { terminal, open: options.open }) : undefined;
  session.beginReading();
  const watcher = watchRun(run, terminal, { mode, reading: session.reading });
  const driven = await driveRun(run, {
    terminal,
    watcher,
    interruption,
    canAsk: mode !== 'json',
    // With --serve the process stays, so that the run continues once a decision is made on the page or in another terminal.
    reportPending: page === undefined ? undefined : () => reportPending(run, terminal, options.store),
    people: replayedPeople(replay),
  });
  // A closed engine can no longer read its journal.
  if (options.record !== undefined) await writeRecording(options.record, await run.recording());
  // Tools that run at workers are not this process's to wait for.
  if (driven === 'interrupted') await closeInterrupted(isOnWorkers ? undefined : run, session, terminal);
  const closing = driven === 'settled' ? await session.closingLines() : '';
  const code = await finishRun(run, driven, { terminal, mode, store: options.store, closing, raw: options.raw, isOnWorkers });
  if (page !== undefined && driven !== 'interrupted') await page.untilInterrupted(interruption);
  return code;
}

/** Converts command-line options to launch options. */
export function launchOptions({ limits, llm, request, workspace }: RunOptions): LaunchOptions {
  return {
    ...(request === undefined ? {} : { request }),
    ...(limits === undefined ? {} : { limits }),
    ...(llm === undefined ? {} : { llmConfig: llm }),
    ...(workspace === undefined ? {} : { workspace }),
    ...terminalBy(),
  };
}

/** Returns the question: the words of the command line, or stdin for `-`. */
async function readQuestion(words: readonly string[]): Promise<string> {
  const text = words.length === 1 && words[0] === '-' ? await readInput() : words.join(' ');
  if (text.trim() !== '') return text.trim();
  throw new CadreError(
    'OPTION_INVALID',
    `there is no question; ask one: ${thisCommand(['run'])} "How do I …?" (or - to read it from stdin)`,
  );
}

async function readInput(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const part of process.stdin) text += String(part);
  return text;
}

/** Page served beside a run; disposing closes it. */
interface OpenPage extends AsyncDisposable {
  /** Keeps the page open until a signal asks to stop; its run can still be inspected and sent messages. */
  untilInterrupted(interruption: Interruption): Promise<void>;
}

/** Serves the page of an engine and prints the address of a run. */
export async function openPage(
  engine: Engine,
  run: Run,
  { terminal, open }: { readonly terminal: Terminal; readonly open?: boolean | undefined },
): Promise<OpenPage> {
  // The server is imported only when needed.
  const { servePage } = await import('../../runs/serve-page.ts');
  const tell = (text: string): void => terminal.tell(text);
  const access = await servingAccess({ open: open === true, location: engine.location, variable: tokenVariable, tell });
  const served = await servePage(engine, access.options);
  terminal.tell(`Page: ${served.url}${access.query === '' ? '/' : access.query}#/runs/${run.id}\n`);
  return {
    untilInterrupted: async ({ asked }) => {
      terminal.tell(`The page stays open at ${served.url}/#/runs/${run.id} (Ctrl-C closes it; the run can be resumed).\n`);
      await asked;
    },
    [Symbol.asyncDispose]: () => served.close(),
  };
}
