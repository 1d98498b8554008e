import { applyChanges } from '../patches/apply-patches.ts';
import { CadreError, describeThrown } from '../error.ts';
import type { EventOf } from '../events/event.ts';
import { patchedState } from '../patches/state-patch.ts';
import { noteStateTaint } from '../patches/state-taint.ts';
import type { RunContext } from '../state/run-context.ts';
import { type Folds, agentOf } from './folds.ts';
import { noteChange } from './turn.ts';

/** Folds of changes of state. */
export const patchFolds: Folds<'state.patch'> = { 'state.patch': applyStatePatch };

/** A patch that does not fit the state means a corrupt journal. */
function applyStatePatch(run: RunContext, event: EventOf<'state.patch'>): void {
  const agent = event.agentId === undefined ? undefined : agentOf(run, event.agentId);
  noteChange(run, event);
  const { team, ...own } = patchedState(run, agent);
  const state = agent === undefined ? { team } : { ...own, team };
  try {
    run.counters.modules += applyChanges(state, event.patches);
  } catch (thrown) {
    throw new CadreError('STORE_CORRUPT', `run ${run.meta.runId}: event ${event.seq}: ${describeThrown(thrown)}`);
  }
  noteStateTaint(run, agent, event);
  run.team.shared = team.shared;
  if (agent === undefined) return;
  const { team: _, ...slices } = state;
  Object.assign(agent, slices);
}
