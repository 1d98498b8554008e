import { applyPatches } from '../apply-patches.ts';
import { isWorkModule } from '../check-module.ts';
import { CadreError, describeThrown } from '../error.ts';
import type { EventOf } from '../event.ts';
import { isJsonObject } from '../json.ts';
import { patchedState } from '../state-patch.ts';
import type { RunState } from '../state.ts';
import { agentOf } from './agent.ts';
import { turnOf } from './turn.ts';

/** Folds a change of state. A patch that does not fit the state is a corrupt journal. */
export function applyStatePatch(run: RunState, event: EventOf<'state.patch'>): void {
  const agent = event.agentId === undefined ? undefined : agentOf(run, event.agentId);
  if (event.turnId !== undefined) (turnOf(run, event.turnId).stateChanges ??= []).push(event);
  else agent?.changesBeforeTurn.push(event);
  const { team, ...own } = patchedState(run, agent);
  const { work_modules: modules } = team;
  const root = agent === undefined ? { team } : { ...own, team };
  const size = Object.keys(root).length;
  try {
    const ids = [...new Set(event.patches.flatMap(({ path }) => (path[1] === 'work_modules' ? [String(path[2])] : [])))];
    const isKnown = (id: string): boolean => Object.hasOwn(modules, id);
    const known = ids.filter(isKnown).length;
    applyPatches(root, event.patches, [root, team, modules]);
    const changed = ids.filter(isKnown);
    const { team: same, ...slices } = root;
    if (
      Object.keys(root).length !== size ||
      Object.keys(team).length !== 2 ||
      same !== team ||
      team.work_modules !== modules ||
      ![...Object.values(slices), team.shared].every(isJsonObject) ||
      !changed.every((id) => isWorkModule(id, modules[id]))
    )
      throw new Error('a patch makes something else of a part of the state');
    run.counters.modules += Math.max(0, changed.length - known);
    if (agent !== undefined) Object.assign(agent, slices);
    run.team.shared = team.shared;
  } catch (thrown) {
    throw new CadreError('STORE_CORRUPT', `run ${run.meta.runId}: event ${event.seq}: ${describeThrown(thrown)}`);
  }
}
