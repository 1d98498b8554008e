import { CadreError, describeThrown } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import { undecidedMs } from './leases.ts';
import type { Run } from '../run.ts';
import type { ResumeOptions } from '../launch-options.ts';

/** Outcome of resuming one interrupted run: its handle, or the error. */
export type RecoveredRun =
  | { readonly runId: RunId; readonly run: Run; readonly error?: undefined }
  | { readonly runId: RunId; readonly run?: undefined; readonly error: CadreError };

/** Services for resuming the runs of an engine. */
interface RecoverParts {
  readonly live: (runId: string) => Run | undefined;
  readonly resume: (runId: RunId, options: ResumeOptions) => Promise<Run>;
  /** Receives runs that could not be resumed. */
  readonly onFailure: (runId: RunId, error: CadreError | undefined, options: ResumeOptions) => void;
}

/** Resumes the unfinished runs among `runs`, which are listed newest first: oldest first, except those that are live already. */
export async function recoverRuns(
  runs: readonly RunSummary[],
  { waitForHolder = true, include, onRun, ...options }: RecoverOptions,
  { live, resume, onFailure }: RecoverParts,
): Promise<readonly RecoveredRun[]> {
  const heard = (entry: RecoveredRun): void => {
    onFailure(entry.runId, entry.error, options);
    onRun?.(entry);
  };
  return await recoverEach(runs.toReversed(), { include, onRun: heard }, async (runId, isPatient) =>
    live(runId) === undefined ? await resume(runId, { ...options, waitForHolder: isPatient && waitForHolder }) : undefined,
  );
}

/**
 * Resumes every unfinished run of a list; `resume` returns undefined for live runs. Runs whose holder may be gone come last, and a patient
 * `resume` waits for them: no other run is delayed.
 */
async function recoverEach(
  runs: readonly RunSummary[],
  { include, onRun }: Pick<RecoverOptions, 'include' | 'onRun'>,
  resume: (runId: RunId, isPatient: boolean) => Promise<Run | undefined>,
): Promise<readonly RecoveredRun[]> {
  const recovered = new Map<RunId, RecoveredRun | undefined>();
  const undecided: RunId[] = [];
  const settle = (runId: RunId, entry: RecoveredRun | undefined): void => {
    recovered.set(runId, entry);
    if (entry !== undefined) onRun?.(entry);
  };
  for (const run of runs) {
    if (!isInterrupted(run.status) || (include !== undefined && !(await include(run)))) continue;
    const { runId } = run;
    const first = await recoverOne(runId, resume, false);
    if (undecidedMs(first?.error) === undefined) settle(runId, first);
    else {
      undecided.push(runId);
      recovered.set(runId, first);
    }
  }
  for (const runId of undecided) settle(runId, await recoverOne(runId, resume, true));
  return [...recovered.values()].filter((entry) => entry !== undefined);
}

async function recoverOne(
  runId: RunId,
  resume: (runId: RunId, isPatient: boolean) => Promise<Run | undefined>,
  isPatient: boolean,
): Promise<RecoveredRun | undefined> {
  try {
    const run = await resume(runId, isPatient);
    return run === undefined ? undefined : { runId, run };
  } catch (thrown) {
    return notRecovered(runId, thrown);
  }
}

/** True when a run with this status can be resumed: it has not ended, or it is damaged and may not have. */
export function isInterrupted(status: string): boolean {
  return status === 'running' || status === 'awaiting' || status === 'idle' || status === 'damaged';
}

function notRecovered(runId: RunId, thrown: unknown): RecoveredRun {
  if (thrown instanceof CadreError) return { runId, error: thrown };
  const message = `run ${runId} could not be resumed: ${describeThrown(thrown)}`;
  return { runId, error: new CadreError('INTERNAL', message, { cause: thrown }) };
}

/** Options for resuming interrupted runs, and a filter for them. */
export interface RecoverOptions extends ResumeOptions {
  /** True for runs to resume; all of them when absent. */
  readonly include?: ((run: RunSummary) => boolean | Promise<boolean>) | undefined;
  /** Receives each run as soon as it goes on, or the reason why it does not. */
  readonly onRun?: ((entry: RecoveredRun) => void) | undefined;
}
