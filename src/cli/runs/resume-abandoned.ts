import { pendingOf } from '../../core/state/pending.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RecoveredRun } from '../../engine/recovery/recover-runs.ts';
import { readState } from '../../engine/recovery/read-state.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { thisCommand } from '../options/this-command.ts';
import { readFoldersNote } from '../terminal/folders-note.ts';
import type { CadreEvent } from '../../core/events/event.ts';

/** Settings of `resumeLeft`. */
export interface ResumeAbandonedOptions {
  /** Path of the journal. */
  readonly file: string;
  /** Journal as the user named it; undefined for the default one. */
  readonly store: string | undefined;
  readonly tell: (line: string) => void;
}

/**
 * Resumes the runs that servers and programs abandoned and prints a line for each: running ones, and those with pending requests, which
 * expire only in a process. Leaves out runs that await a message, and runs of a terminal, whose folders were named there.
 */
export async function resumeAbandoned(engine: Engine, options: ResumeAbandonedOptions): Promise<void> {
  const { file, store, tell } = options;
  const titles = new Map<string, string>();
  const name = (runId: string): string => `Run ${safe(runId)} (${safe(titles.get(runId) ?? '')})`;
  const include = async (run: RunSummary): Promise<boolean> => {
    if (run.isImported === true) return false;
    titles.set(run.runId, run.title);
    if (run.status === 'idle') return false;
    if (run.status === 'awaiting' && !(await hasPending(engine, run))) return false;
    const again = thisCommand(['resume', run.runId], store);
    if (run.status === 'running' && (await isLooping(engine, run))) {
      tell(`${name(run.runId)} was resumed several times without progress and is left alone; resume it with: ${again}\n`);
      return false;
    }
    if ((await readFoldersNote(file, run.runId)) === undefined) return true;
    if (run.isAbandoned === true && run.status === 'running')
      tell(`${name(run.runId)} was started in a terminal and interrupted; resume it with: ${again}\n`);
    return false;
  };
  const onRun = (entry: RecoveredRun): void => {
    const status = statusText(entry, store);
    if (status !== undefined) tell(`${name(entry.runId)} ${status}\n`);
  };
  await engine.recover({ include, onRun });
}

/** Returns a line that counts the abandoned runs of a journal, for a server that does not resume them; empty when there are none. */
export async function abandonedRunsLine(engine: Engine, store: string | undefined): Promise<string> {
  const open = await engine.runs({ isOpen: true });
  const left = open.filter(({ status, isAbandoned }) => status === 'running' && isAbandoned === true).length;
  const were = `${countText(left, 'run')} ${left === 1 ? 'was' : 'were'} interrupted`;
  return left === 0 ? '' : `${were}; resume with: ${thisCommand(['resume', '--all'], store)}\n`;
}

function statusText({ runId, run, error }: RecoveredRun, store: string | undefined): string | undefined {
  if (run !== undefined && pendingOf(run.state).length > 0)
    return `waits for a decision: ${thisCommand(['pending', runId], store)}`;
  if (run !== undefined) return 'was interrupted and is resumed.';
  // Another process owns it, or this one is closing.
  if (error.code === 'RUN_LOCKED' || error.code === 'ENGINE_CLOSED') return undefined;
  const reason = toTerminalText(error.message, { maxLine: 2_000, maxLines: 20 });
  return error.details['mayPass'] === true
    ? `cannot be resumed yet and will be retried: ${reason}`
    : `could not be resumed: ${reason}`;
}

/** True for a run in a crash loop; false for an unreadable one, whose resumption reports the reason. */
async function isLooping(engine: Engine, { runId, lastSeq }: RunSummary): Promise<boolean> {
  try {
    return isCrashLoop(await engine.records.read(runId, { after: Math.max(0, lastSeq - 200) }));
  } catch {
    return false;
  }
}

/** True for a run with a pending request, and for an unreadable one, whose resumption reports the reason. */
async function hasPending(engine: Engine, { runId }: RunSummary): Promise<boolean> {
  try {
    return pendingOf(await readState(engine.records, runId)).length > 0;
  } catch {
    return true;
  }
}

/** A run is in a crash loop after `loopCount` resumptions in a row within `loopMs` milliseconds. */
const loopCount = 5;

const loopMs = 600_000;

/** Event types that show progress of a run. */
const progressTypes: ReadonlySet<CadreEvent['type']> = new Set(['model.end', 'tool.end', 'turn.end', 'agent.end']);

/**
 * True for a run that was resumed repeatedly within a short time without progress, such as one whose tool crashes the process: a server
 * restarted by a supervisor would resume it forever. `events` are the newest of its journal.
 */
export function isCrashLoop(events: readonly CadreEvent[]): boolean {
  const since = events.slice(events.findLastIndex(({ type }) => progressTypes.has(type)) + 1);
  const resumed = since.filter(({ type }) => type === 'run.resume').slice(-loopCount);
  const [first] = resumed;
  const last = resumed.at(-1);
  return resumed.length === loopCount && first !== undefined && last !== undefined && last.at - first.at < loopMs;
}
