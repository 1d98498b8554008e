import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';
import { mailStore } from './mail-folder.ts';
import { performAction } from './perform-action.ts';
import type { ActionDone, RunAction } from './run-action.ts';
import { mailAction } from './mail-action.ts';

/** Acts on runs, whichever process advances them. */
export interface RunReach {
  /**
   * Performs an action on a run; resolves once it is in the journal. Fails as the run refuses it, or with RUN_LOCKED when its process
   * does not answer.
   */
  act(runId: string, action: RunAction): Promise<ActionDone>;
}

/**
 * Reaches the runs of a journal: a run of this engine directly, a run of another process through the mail folder, and a run that no
 * process has by resuming it.
 */
export function reachRun(engine: Engine, store = mailStore(engine)): RunReach {
  return {
    act: async (runId, action) => {
      const live = engine.live(runId);
      if (live !== undefined) return await performAction(live, action);
      const findRun = async (): Promise<RunSummary | undefined> => (await engine.runs({ runId: runId as RunId }))[0];
      const summary = await findRun();
      const done = summary === undefined ? undefined : await askHolder(summary, action, { store, findRun });
      return done ?? (await actHere(engine, runId, action));
    },
  };
}

/** Acts on a run that no process has by resuming it. A run to be cancelled is not resumed: no model or tool is started. */
async function actHere(engine: Engine, runId: string, action: RunAction): Promise<ActionDone> {
  const isEnd = action.kind === 'cancel' && action.agentId === undefined && action.moduleId === undefined;
  const run = isEnd ? await engine.cancel(runId, action.reason) : await engine.resume(runId);
  return await performAction(run, action);
}

/** Journal file of a run, and a query for its current summary. */
export interface HolderOptions {
  readonly store: string;
  readonly findRun: () => Promise<RunSummary | undefined>;
}

/**
 * Asks another process to act on the run it advances; undefined when no process has the run (`findRun` is asked while waiting), or its
 * process takes no letters: a resume then reports who holds it.
 *
 * @throws CadreError as the run refuses it; `RUN_LOCKED` when the process took the action and did not answer
 */
export async function askHolder(
  summary: RunSummary,
  action: RunAction,
  { store, findRun }: HolderOptions,
): Promise<ActionDone | undefined> {
  if (store === 'memory' || !mayBeHeld(summary)) return undefined;
  const isHeld = async (): Promise<boolean> => {
    const now = await findRun();
    return now !== undefined && mayBeHeld(now);
  };
  const answer = await mailAction({ store, runId: summary.runId, isHeld }, action);
  switch (answer.kind) {
    case 'done':
      return answer.done;
    case 'refused':
      throw new CadreError(answer.error.code, answer.error.message);
    case 'silent':
      throw new CadreError(
        'RUN_LOCKED',
        `the process that has run ${summary.runId} took this action and has not answered; check the run before you repeat it`,
        { details: { runId: summary.runId } },
      );
    case 'untaken':
      return undefined;
  }
}

/** True when a process may be advancing a run: it has not ended and is not known to be abandoned. */
function mayBeHeld({ outcome, isAbandoned, isImported, status }: RunSummary): boolean {
  return (
    outcome === undefined &&
    isAbandoned !== true &&
    isImported !== true &&
    (status === 'running' || status === 'awaiting' || status === 'idle')
  );
}
