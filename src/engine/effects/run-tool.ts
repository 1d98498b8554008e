import type { Clock } from '../../core/clock.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { LazyAbort } from './in-flight.ts';
import { callerOf } from '../../core/state/agent-path.ts';
import type { RecordedTool } from '../../core/recording/recording.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import { toolReturn } from '../../core/tool/tool-return.ts';
import type { Replay } from '../../models/replay/replay.ts';

/** Most progress notes kept with a result; earlier ones are live only. */
const keptNotes = 20;
/** Maximum length of a progress note in characters: each is sent to every subscriber. */
const longestNote = 500;

/**
 * Milliseconds of computing without a pause after which a tool is reported: no timer fires meanwhile, not even its own deadline (FAULTS
 * X7).
 */
const longestBlockMs = 1_000;

/** The last notes about the progress of a tool, oldest first. */
type ProgressNotes = ToolOutcome['progress'];

/** Notes of a tool that reports no progress. */
export const noNotes: ProgressNotes = Object.freeze([]);

/** One run of one tool. */
export interface ToolRun {
  readonly tool: Pick<EffectTool, 'name' | 'timeoutMs'>;
  readonly abort: LazyAbort;
  /** Replaced with each note. */
  notes: ProgressNotes;
  /** Starts the tool; its value or error is the outcome. */
  start(): unknown;
  /** Called when the tool blocked the event loop for this many milliseconds. */
  onBlocked(ms: number): void;
  /** Called when the tool is no longer awaited and has not ended. */
  onLeft(): void;
  /** Receives a result that comes after that: recorded, never delivered. */
  onLate(outcome: ToolOutcome): void;
}

/** Services for running tools. */
export interface ToolServices {
  readonly clock: Clock;
  /** Milliseconds that an aborted tool gets to stop; after that it is abandoned. */
  readonly graceMs: number;
}

/** Adds a note to a run's progress; returns what was noted. */
export function noteProgress(
  run: Pick<ToolRun, 'notes'>,
  clock: Clock,
  [fraction, note = '']: Parameters<ToolContext['progress']>,
): { readonly fraction: number; readonly note: string } {
  // Tools may be written in plain JavaScript, and recorded values must survive a trip through JSON.
  const share = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0;
  const text = (typeof note === 'string' ? note : describeThrown(note)).slice(0, longestNote).toWellFormed();
  const made = { fraction: share, note: text, at: clock.now() };
  run.notes = [...run.notes.slice(1 - keptNotes), made];
  return made;
}

/**
 * Runs an effect tool to an outcome: its value, its error, a time-out after which it is aborted, or, once aborted and after the grace
 * period, abandonment. Never throws.
 */
export function runTool(run: ToolRun, services: ToolServices): Promise<ToolOutcome> {
  const { clock } = services;
  let returned: unknown;
  const started = clock.monotonic();
  try {
    returned = run.start();
  } catch (error) {
    return Promise.resolve({ status: 'error', error, progress: run.notes });
  } finally {
    const blocked = clock.monotonic() - started;
    if (blocked > longestBlockMs) run.onBlocked(blocked);
  }
  return isPromiseLike(returned)
    ? raceAgainstTimer(run, returned, services)
    : Promise.resolve({ status: 'ok', returned, progress: run.notes });
}

function raceAgainstTimer(run: ToolRun, returned: PromiseLike<unknown>, { clock, graceMs }: ToolServices): Promise<ToolOutcome> {
  const { name, timeoutMs } = run.tool;
  return new Promise((resolve) => {
    let over = false;
    const finish = (outcome: ToolOutcome): void => {
      if (over) {
        // After two ticks the timed-out outcome has been submitted, even when both arrived together.
        queueMicrotask(() => queueMicrotask(() => run.onLate(outcome)));
        return;
      }
      over = true;
      cancelTimer();
      resolve(outcome);
    };
    let cancelTimer = clock.setTimer(timeoutMs, () => {
      if (over) return;
      over = true;
      run.onLeft();
      const error = new CadreError(
        'TOOL_TIMEOUT',
        `'${name}' did not finish within ${timeoutMs / 1000} s and was stopped; it may have done part of its work`,
      );
      resolve({ status: 'timeout', error, progress: run.notes, abandoned: true });
      run.abort.abort(error);
    });
    run.abort.onAbort = () => {
      if (over) return;
      cancelTimer();
      cancelTimer = clock.setTimer(graceMs, () => {
        if (over) return;
        run.onLeft();
        const error = new CadreError('TOOL_CANCELLED', `'${name}' was told to stop and did not; it was abandoned`);
        finish({ status: 'cancelled', error, progress: run.notes, abandoned: true });
      });
    };
    returned.then(
      (value) => finish({ status: 'ok', returned: value, progress: run.notes }),
      (error: unknown) => finish({ status: run.abort.aborted ? 'cancelled' : 'error', error, progress: run.notes }),
    );
  });
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return 'then' in value && typeof value.then === 'function';
  } catch {
    // A proxy or getter that throws on access: an ordinary value, described as such.
    return false;
  }
}

/** Returns a tool's outcome from the recording, without running the tool. */
export async function replayedTool(replay: Replay, run: RunContext, agent: SubContext, call: CallState): Promise<ToolOutcome> {
  const { request, index } = call;
  const found = await replay.tool(callerOf(run, agent), { index, tool: request.name }, call.args);
  if (found.ok) return toToolOutcome(found.value);
  return { status: 'error', error: new CadreError(found.error.code, found.error.message), progress: noNotes };
}

function toToolOutcome({ status, content, error, items = [] }: RecordedTool): ToolOutcome {
  const thrown = error === undefined ? undefined : new CadreError(error.code, error.message);
  const wasThrown = error !== undefined && content === JSON.stringify({ error: error.code, message: error.message });
  if (wasThrown || (status !== 'ok' && status !== 'error')) return { status, error: thrown, progress: noNotes };
  return { status: 'ok', returned: toolReturn({ content, isError: status === 'error', items }), progress: noNotes };
}
