import { applyPatches } from '../apply-patches.ts';
import { wrongModuleField } from '../check-module.ts';
import { CadreError, describeThrown } from '../error.ts';
import type { EventOf } from '../event.ts';
import { isJsonObject } from '../json.ts';
import { type Patch, type PatchedState, patchedState } from '../state-patch.ts';
import type { RunState } from '../state.ts';
import { agentOf } from './agent.ts';
import { turnOf } from './turn.ts';

/** Deepest place that a patch may reach. */
const maxPathLength = 128;

const ops: ReadonlySet<unknown> = new Set(['add', 'replace', 'remove']);
const slices: ReadonlySet<unknown> = new Set(['flags', 'values', 'deliverables']);

/** Folds a change of state. A patch that does not fit the state is a corrupt journal. */
export function applyStatePatch(run: RunState, event: EventOf<'state.patch'>): void {
  const agent = event.agentId === undefined ? undefined : agentOf(run, event.agentId);
  if (event.turnId !== undefined) (turnOf(run, event.turnId).stateChanges ??= []).push(event);
  else agent?.changesBeforeTurn.push(event);
  const state = patchedState(run, agent);
  const { team } = state;
  try {
    const added = checkPatches(event.patches, agent !== undefined, team.work_modules);
    applyPatches(state, event.patches, [state, team, team.work_modules]);
    checkModules(team.work_modules, event.patches);
    run.counters.modules += added;
  } catch (thrown) {
    throw new CadreError('STORE_CORRUPT', `run ${run.meta.runId}: event ${event.seq}: ${describeThrown(thrown)}`);
  }
  if (agent !== undefined) {
    agent.flags = state.flags;
    agent.values = state.values;
    agent.deliverables = state.deliverables;
  }
  run.team.shared = team.shared;
}

/** Checks where patches lead and that none would make a list or a text of what must stay an object; counts the modules they add. */
function checkPatches(patches: readonly Patch[], hasAgent: boolean, modules: PatchedState['team']['work_modules']): number {
  let added = 0;
  for (const { op, path, value } of patches) {
    const [root, slice, id] = path;
    const isTeam = root === 'team';
    const isModule = isTeam && slice === 'work_modules';
    const depth = isModule ? 3 : isTeam ? 2 : 1;
    const isKnown = isModule || (isTeam ? slice === 'shared' : hasAgent && slices.has(root));
    const isWhole = path.length === depth && !isModule;
    if (!isKnown || path.length < depth || path.length > maxPathLength || !ops.has(op))
      throw new Error(`no patch may ${op} ${JSON.stringify(path.slice(0, 8))}`);
    if (isWhole && !(op === 'replace' && isJsonObject(value))) throw new Error(`${path.join('.')} must stay an object`);
    if (isModule && path.length === 3 && op === 'add' && !Object.hasOwn(modules, String(id))) added += 1;
  }
  return added;
}

/** Checks the modules that patches changed. */
function checkModules(modules: PatchedState['team']['work_modules'], patches: readonly Patch[]): void {
  for (const id of new Set(patches.flatMap(({ path }) => (path[1] === 'work_modules' ? [String(path[2])] : [])))) {
    const wrong = Object.hasOwn(modules, id) ? wrongModuleField(id, modules[id]) : undefined;
    if (wrong !== undefined) throw new Error(`work module ${JSON.stringify(id)} would have a wrong ${wrong}`);
  }
}
