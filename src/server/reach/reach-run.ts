import { CadreError } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';
import { mailAction } from './mail-action.ts';
import { mailStore } from './mail-folder.ts';
import { performAction } from './perform-action.ts';
import type { ActionDone, RunAction } from './run-action.ts';

/** Acts on runs, whichever process has them. */
export interface RunReach {
  /** Does something to a run; resolves once it is on record. Fails as the run refuses it, or with RUN_LOCKED when its process does not answer. */
  act(runId: string, action: RunAction): Promise<ActionDone>;
}

/**
 * Reaches the runs of a journal: one that this engine advances directly, one that another process has by a file beside the journal,
 * and one that nobody has by taking it up.
 */
export function reachRun(engine: Engine, store = mailStore(engine)): RunReach {
  return {
    act: async (runId, action) => {
      const live = engine.live(runId);
      if (live !== undefined) return await performAction(live, action);
      const look = async (): Promise<RunSummary | undefined> => (await engine.runs({ runId: runId as RunId }))[0];
      const summary = await look();
      const done = summary === undefined ? undefined : await askHolder(summary, store, action, look);
      return done ?? (await actHere(engine, runId, action));
    },
  };
}

/** Takes a run up that nobody has. One that is to end is not begun again for that: no model is asked, no tool is run. */
async function actHere(engine: Engine, runId: string, action: RunAction): Promise<ActionDone> {
  const isEnd = action.kind === 'cancel' && action.agentId === undefined && action.moduleId === undefined;
  const run = isEnd ? await engine.cancel(runId, action.reason) : await engine.resume(runId);
  return await performAction(run, action);
}

/**
 * Has another process do something to the run it advances; undefined when no process has the run (as `look` tells while it waits), or
 * the one that has it takes nothing: whoever takes the run up learns who holds it.
 *
 * @throws CadreError as the run refuses it; `RUN_LOCKED` when the process took the action and said no more
 */
export async function askHolder(
  summary: RunSummary,
  store: string,
  action: RunAction,
  look: () => Promise<RunSummary | undefined>,
): Promise<ActionDone | undefined> {
  if (store === 'memory' || !mayBeHeld(summary)) return undefined;
  const isHeld = async (): Promise<boolean> => {
    const now = await look();
    return now !== undefined && mayBeHeld(now);
  };
  const answer = await mailAction(store, summary.runId, action, isHeld);
  switch (answer.kind) {
    case 'done':
      return answer.done;
    case 'refused':
      throw new CadreError(answer.error.code, answer.error.message);
    case 'silent':
      throw new CadreError(
        'RUN_LOCKED',
        `the process that has run ${summary.runId} took this and has not answered; look what became of it before you repeat it`,
        { details: { runId: summary.runId } },
      );
    case 'nobody':
      return undefined;
  }
}

/** Whether some process may be advancing a run: it is not over, and nobody is known to have left it. */
function mayBeHeld({ outcome, isAbandoned, isImported, status }: RunSummary): boolean {
  return (
    outcome === undefined &&
    isAbandoned !== true &&
    isImported !== true &&
    (status === 'running' || status === 'awaiting' || status === 'idle')
  );
}
