import { CadreError } from '../../../core/error.ts';
import type { LaunchOptions } from '../../../engine/launch-options.ts';
import { checkProject } from '../../../engine/run-catalog.ts';
import { readRecording } from '../../../models/replay/read-recording.ts';
import { replayedPeople } from '../../../engine/effects/replayed-people.ts';
import { withFiles } from '../../options/attachments-option.ts';
import { chooseProfile } from '../../options/choose-profile.ts';
import { driveRun } from '../../runs/drive-run.ts';
import type { ExitCode } from '../../exit-code.ts';
import { closeInterrupted } from '../../runs/close-interrupted.ts';
import { finishRun, interruptedWords, tellPending } from '../../runs/finish-run.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { unlessInterrupted } from '../../runs/unless-interrupted.ts';
import type { LimitsOption } from '../../options/limits-option.ts';
import { profilesFolder } from '../../options/profiles-folder.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { thisCommand } from '../../options/this-command.ts';
import { openPage } from '../../terminal/open-page.ts';
import { openRecording, writeRecording } from '../../runs/write-recording.ts';
import { watchMode, watchRun } from '../../terminal/watcher.ts';
import { openWorkplace } from '../../runs/workplace.ts';

/** Options of everything that starts a run or goes on with one. */
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
  readonly quiet?: boolean;
  /** Prints what agents say as it was written, its Markdown not laid out. */
  readonly raw?: boolean;
  readonly color?: boolean;
}

/** Options of `run` alone: a page beside it, files to bring along, the file to record to, and the one to answer from. */
export interface RecordOptions {
  readonly serve?: boolean;
  readonly attach?: readonly string[];
  readonly record?: string;
  readonly replay?: string;
  readonly project?: string;
}

/** Runs a team on a question until it has nothing more to do, and prints its report. */
export async function runCommand(words: readonly string[], options: RunOptions & RecordOptions): Promise<ExitCode> {
  const replay = options.replay === undefined ? undefined : await readRecording(options.replay);
  const input =
    replay !== undefined && words.length === 0 ? replay.start.input : await withFiles(await readQuestion(words), options.attach);
  if (options.record !== undefined) await openRecording(options.record);
  if (options.project !== undefined) checkProject(options.project);
  const terminal = openTerminal(options);
  using interruption = new Interruption();
  await using workplace = await openWorkplace({ ...options, profiles: profilesFolder(options.profiles), replay });
  const profile = chooseProfile(workplace.engine.profiles, options.profile ?? replay?.start.profile);
  const llm = options.llm ?? replay?.start.llmConfig;
  const request = options.request ?? replay?.start.request;
  const mode = watchMode(terminal, options);
  if (mode === 'live' || mode === 'lines') terminal.tell(workplace.openingLines(options.llm));
  const { engine } = workplace;
  const settings = launchOptions({
    ...options,
    ...(llm === undefined ? {} : { llm }),
    ...(request === undefined ? {} : { request }),
  });
  const run = await unlessInterrupted({ engine, interruption, terminal }, () => engine.launch({ profile, input }, settings));
  if (run === undefined) return 130;
  if (options.project !== undefined) await workplace.engine.catalog.move(run.id, options.project);
  interruption.lastWords = interruptedWords(run, options.store);
  await using page = options.serve === true ? await openPage(workplace.engine, run, terminal) : undefined;
  const watcher = watchRun(run, terminal, mode);
  const driven = await driveRun(run, {
    terminal,
    watcher,
    interruption,
    mayAsk: mode !== 'json',
    // With a page beside it the process stays, and so the run goes on once it is decided there or in another terminal.
    tellPending: page === undefined ? undefined : () => tellPending(run, terminal, options.store),
    people: replayedPeople(replay),
  });
  // An engine that is closed reads its journal no more.
  if (options.record !== undefined) await writeRecording(options.record, await run.recording());
  if (driven === 'interrupted') await closeInterrupted(run, workplace.engine, terminal);
  const closing = driven === 'settled' ? await workplace.closingLines() : '';
  const code = finishRun(run, driven, { terminal, mode, store: options.store, closing, raw: options.raw });
  if (page !== undefined && driven !== 'interrupted') await page.untilLeft(interruption);
  return code;
}

/** What the options say about a run that is launched. */
export function launchOptions({ limits, llm, request, workspace }: RunOptions): LaunchOptions {
  return {
    ...(request === undefined ? {} : { request }),
    ...(limits === undefined ? {} : { limits }),
    ...(llm === undefined ? {} : { llmConfig: llm }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** The question: the words of the command line, or all of stdin for `-`. */
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
