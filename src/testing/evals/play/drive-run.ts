import { CadreError } from '../../../core/error.ts';
import type { CadreEvent } from '../../../core/events/event.ts';
import type { Run } from '../../../engine/run.ts';
import type { PersonStep } from '../../cases/test-case.ts';
import { stepsTaken, takeStep } from '../../play/person-steps.ts';
import type { EvalStop } from './eval-stop.ts';

/** Result of driving a run: the number of steps of its people that were not needed. */
export interface DrivenRun {
  readonly unusedSteps: number;
}

/**
 * Waits until a run has ended, or waits with no step of a person left that fits; takes the steps meanwhile, beginning after those that its
 * journal shows. Rejects when the run cannot go on in this process, or a step is left when the eval has stopped.
 */
export async function driveRun(
  run: Run,
  { people, taken, stop }: { readonly people: readonly PersonStep[]; readonly taken: number; readonly stop: Pick<EvalStop, 'why'> },
): Promise<DrivenRun> {
  let next = taken;
  await settled(run);
  for (; next < people.length; next += 1) {
    const step = people[next];
    if (step === undefined || run.state.outcome !== undefined) break;
    if (stop.why !== undefined) throw new CadreError('ENGINE_CLOSED', `run ${run.id} was left where it is`);
    if (!(await takeStep(run, step, next))) break;
    await settled(run);
  }
  return { unusedSteps: people.length - next };
}

/** Waits until a run has nothing left to do; rejects when its engine was closed before. */
async function settled(run: Run): Promise<void> {
  const { outcome, status } = await run.settled();
  if (outcome === undefined && status === 'running') throw new CadreError('ENGINE_CLOSED', `run ${run.id} was left where it is`);
}

/** True when a recorded run needs nothing more: it has ended, or it waits and its people have no step left that fits. */
export function isFinished(status: string, events: readonly CadreEvent[], people: readonly PersonStep[]): boolean {
  if (['completed', 'failed', 'cancelled', 'damaged'].includes(status)) return true;
  if (status === 'running') return false;
  const next = people[stepsTaken(events, people)];
  return next === undefined || (status === 'idle' && next.say === undefined);
}
