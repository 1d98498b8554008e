import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { assertOwnRun } from '../../engine/recovery/imported-run.ts';
import type { ResumeOptions } from '../../engine/launch-options.ts';
import { undecidedMs } from '../../engine/recovery/leases.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Run } from '../../engine/run.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { terminalBy } from '../access/local-by.ts';
import type { RunOptions } from '../commands/running/run.ts';
import { driveRun } from './drive-run.ts';
import type { ExitCode } from '../exit-code.ts';
import { closeInterrupted } from './close-interrupted.ts';
import { finishRun, interruptedText } from './finish-run.ts';
import { Interruption } from '../terminal/interruption.ts';
import { profilesFolder } from '../options/profiles-folder.ts';
import { type RestateFlags, restateOf } from '../options/restate-option.ts';
import { openRecordedRun } from './recorded-run.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { watchMode, watchRun } from '../terminal/watcher.ts';
import { unlessInterrupted } from './unless-interrupted.ts';
import { openRunSession, type RunSession } from './run-session.ts';

/** Options of commands that resume a run. */
export interface ResumedOptions extends RunOptions, RestateFlags {
  /** Uses the current profiles instead of the recorded ones. */
  readonly currentProfiles?: boolean;
  /** Takes the run over even from a holder that seems alive. */
  readonly takeOver?: boolean;
  /** Waits until it is known whether a holder on another machine is gone. True by default. */
  readonly waitForHolder?: boolean;
}

/** Opens a session for a recorded run, with its recorded profiles and folders. */
export async function reopenRunSession(reference: string, options: RunOptions): Promise<RunSession> {
  const { runId, files, recorded } = await readRecorded(reference, options);
  return openRunSession({ ...options, profiles: { files }, runId, recorded });
}

interface Recorded {
  readonly runId: RunId;
  readonly seq: number;
  readonly files: readonly ProfileFile[];
  readonly status: string;
  readonly turns: number;
  readonly recorded: RunContext['meta'];
}

async function readRecorded(reference: string, options: RunOptions): Promise<Recorded> {
  using run = await openRecordedRun(options.store, reference);
  const { meta, seq, status, counters } = run.state;
  assertOwnRun(meta);
  return { runId: meta.runId, seq, files: run.files, status, turns: counters.turns, recorded: meta };
}

/** Resumes a run, applies one action, and drives it until it has nothing left to do. */
export async function resumeAndDrive(
  reference: string,
  options: ResumedOptions,
  act: (run: Run) => Promise<void>,
): Promise<ExitCode> {
  const terminal = openTerminal(options);
  using interruption = new Interruption();
  const { runId, files, seq, status, turns, recorded } = await readRecorded(reference, options);
  const profiles = options.currentProfiles === true ? profilesFolder(options.profiles) : { files };
  const takeOver = options.takeOver ?? false;
  const runtime = await restateOf(options);
  await using session = await openRunSession({ ...options, profiles, runId, recorded, takeOver, runtime }).catch(
    (thrown: unknown) => {
      throw options.currentProfiles === true ? thrown : withProgramHint(runId, thrown);
    },
  );
  const mode = watchMode(terminal, options);
  if (mode === 'live' || mode === 'lines') terminal.tell(session.openingLines(options.llm));
  const { engine } = session;
  const run = await unlessInterrupted({ engine, interruption, terminal }, () => resumeWhenFree(session, options, terminal));
  if (run === undefined) return 130;
  interruption.exitMessage = interruptedText(run, options.store);
  // Progress starts with the resumption and its notes.
  session.beginReading();
  const watcher = watchRun(run, terminal, { mode, after: seq, reading: session.reading });
  const tooLate = await act(run).then(() => undefined, expiredText);
  // The verdict came too late; the resumed run continues with the expired request settled.
  if (tooLate !== undefined) terminal.tell(`error: ${toTerminalText(tooLate)}\n`);
  const driven = await driveRun(run, { terminal, watcher, interruption, canAsk: mode !== 'json' });
  if (driven === 'interrupted') await closeInterrupted(run, session, terminal);
  const closing = driven === 'settled' ? await session.closingLines() : '';
  const isUnchanged = status === 'awaiting' && run.state.status === 'awaiting' && run.state.counters.turns === turns;
  const code = await finishRun(run, driven, { terminal, mode, store: options.store, closing, isUnchanged, raw: options.raw });
  return tooLate === undefined ? code : 1;
}

/** Explains PROFILE_INVALID for recorded profiles, usually because a program supplied tools or models in code; returns other errors unchanged. */
function withProgramHint(runId: RunId, thrown: unknown): unknown {
  if (!(thrown instanceof CadreError) || thrown.code !== 'PROFILE_INVALID') return thrown;
  return new CadreError(
    thrown.code,
    `run ${runId} cannot be resumed here: its profiles name things that this command line lacks. Tools, models and observers given in the ` +
      `code of a program exist only there: resume the run in that program, with engine.resume('${runId}'). A running program accepts ` +
      `messages from here once it calls receiveMail(engine) or serve(engine), both of cadre/server.\n${thrown.message}`,
    { cause: thrown, details: thrown.details },
  );
}

/** Resumes the run of a session; prints a message before it waits for a holder that may be gone. */
async function resumeWhenFree({ engine, runId }: RunSession, options: ResumedOptions, terminal: Terminal): Promise<Run> {
  const how: ResumeOptions = { ...terminalBy(), ...(options.currentProfiles === true ? { profiles: 'current' } : {}) };
  try {
    return await engine.resume(runId, how);
  } catch (thrown) {
    const wait = undecidedMs(thrown);
    if (wait === undefined || options.waitForHolder === false || !(thrown instanceof CadreError)) throw thrown;
    const holder = safe(String(thrown.details['owner']));
    const seconds = Math.ceil(wait / 1_000);
    if (options.quiet !== true)
      terminal.tell(`Run ${safe(runId)} is held by ${holder}, which cannot be checked from here; waiting at most ${seconds} s for a sign of life.
`);
    return await engine.resume(runId, { ...how, waitForHolder: true });
  }
}

/** Returns the message of an error about an expired request; rethrows any other error. */
function expiredText(thrown: unknown): string {
  if (thrown instanceof CadreError && thrown.details['hasExpired'] === true) return thrown.message;
  throw thrown;
}
