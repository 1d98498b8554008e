import { applyPatches } from './apply-patches.ts';
import { isWorkModule } from '../team/check-module.ts';
import { isJsonObject } from '../json.ts';
import type { PatchedState } from './state-patch.ts';
import type { Patch } from './patch.ts';

/**
 * Applies patches to `state`, in place: replaces its slices, and the modules in its record. Returns the number of added
 * modules.
 *
 * @throws Error when a patch does not fit, or would change the type of a slice or a module; `state` is unusable afterwards
 */
export function applyChanges(state: PatchedState | Pick<PatchedState, 'team'>, patches: readonly Patch[]): number {
  const { team } = state;
  const { work_modules: modules } = team;
  const size = Object.keys(state).length;
  const ids = [...new Set(patches.flatMap(({ path }) => (path[1] === 'work_modules' ? [String(path[2])] : [])))];
  const isKnown = (id: string): boolean => Object.hasOwn(modules, id);
  const known = ids.filter(isKnown).length;
  applyPatches(state, patches, [state, team, modules]);
  const changed = ids.filter(isKnown);
  const { team: same, ...slices } = state;
  if (
    Object.keys(state).length !== size ||
    Object.keys(team).length !== 2 ||
    same !== team ||
    team.work_modules !== modules ||
    ![...Object.values(slices), team.shared].every(isJsonObject) ||
    !changed.every((id) => isWorkModule(id, modules[id]))
  )
    throw new Error('a patch changes the type of a part of the state');
  return Math.max(0, changed.length - known);
}
