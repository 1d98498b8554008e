import type { Clock } from '../../core/clock.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { LazyAbort } from './in-flight.ts';
import { callerOf } from '../../core/state/agent-path.ts';
import type { RecordedTool } from '../../core/recording/recording.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
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

/** Services and settings for running one tool. */
export interface ToolRun {
  readonly name: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly abort: LazyAbort;
  /** Milliseconds that an aborted tool gets to stop; after that it is abandoned. */
  readonly graceMs: number;
  /** Starts the tool; its value or error is the outcome. */
  readonly start: (progress: (fraction: number, note?: string) => void) => unknown;
  readonly onProgress: (fraction: number, note: string) => void;
  /** Reports that the tool blocked the event loop for this many milliseconds. */
  readonly onBlocked: (ms: number) => void;
  /** Receives a result that comes after a time-out, or from an abandoned tool: recorded, never delivered. */
  readonly onLate: (outcome: ToolOutcome) => void;
}

/**
 * Runs an effect tool to an outcome: its value, its error, a time-out after which it is aborted, or, once aborted and after the grace
 * period, abandonment. `onLate` receives what comes after a time-out or an abandonment. Never throws.
 */
export function runTool(run: ToolRun): Promise<ToolOutcome> {
  const notes: { fraction: number; note: string; at: number }[] = [];
  const progress = (fraction: number, note = ''): void => {
    // Tools may be written in plain JavaScript, and recorded values must survive a trip through JSON.
    const share = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0;
    const text = (typeof note === 'string' ? note : describeThrown(note)).slice(0, longestNote).toWellFormed();
    notes.push({ fraction: share, note: text, at: run.clock.now() });
    if (notes.length > keptNotes) notes.shift();
    run.onProgress(share, text);
  };
  let returned: unknown;
  const started = run.clock.monotonic();
  try {
    returned = run.start(progress);
  } catch (error) {
    return Promise.resolve({ status: 'error', error, progress: [...notes] });
  } finally {
    const blocked = run.clock.monotonic() - started;
    if (blocked > longestBlockMs) run.onBlocked(blocked);
  }
  return isPromiseLike(returned)
    ? raceAgainstTimer(run, returned, notes)
    : Promise.resolve({ status: 'ok', returned, progress: [...notes] });
}

function raceAgainstTimer(run: ToolRun, returned: PromiseLike<unknown>, progress: ToolOutcome['progress']): Promise<ToolOutcome> {
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
    let cancelTimer = run.clock.setTimer(run.timeoutMs, () => {
      if (over) return;
      over = true;
      const seconds = run.timeoutMs / 1000;
      const error = new CadreError(
        'TOOL_TIMEOUT',
        `'${run.name}' did not finish within ${seconds} s and was stopped; it may have done part of its work`,
      );
      resolve({ status: 'timeout', error, progress: [...progress] });
      run.abort.abort(error);
    });
    run.abort.onAbort = () => {
      if (over) return;
      cancelTimer();
      cancelTimer = run.clock.setTimer(run.graceMs, () => {
        const error = new CadreError('TOOL_CANCELLED', `'${run.name}' was told to stop and did not; it was abandoned`);
        finish({ status: 'cancelled', error, progress: [...progress], abandoned: true });
      });
    };
    returned.then(
      (value) => finish({ status: 'ok', returned: value, progress: [...progress] }),
      (error: unknown) => finish({ status: run.abort.aborted ? 'cancelled' : 'error', error, progress: [...progress] }),
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
  return { status: 'error', error: new CadreError(found.error.code, found.error.message), progress: [] };
}

function toToolOutcome({ status, content, error, items = [] }: RecordedTool): ToolOutcome {
  const thrown = error === undefined ? undefined : new CadreError(error.code, error.message);
  const wasThrown = error !== undefined && content === JSON.stringify({ error: error.code, message: error.message });
  if (wasThrown || (status !== 'ok' && status !== 'error')) return { status, error: thrown, progress: [] };
  return { status: 'ok', returned: toolReturn({ content, isError: status === 'error', items }), progress: [] };
}
