import type { EventOf } from '../events/event.ts';
import { frozen, applyChanges } from '../patches/apply-patches.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import { type DispatchRecord, emptyModule, type WorkModule } from '../team/work-module.ts';
import { type Folds, agentOf } from './folds.ts';
import { noteChange } from './turn.ts';
import { CadreError, describeThrown } from '../error.ts';
import { patchedState } from '../patches/state-patch.ts';
import { noteStateTaint } from '../patches/state-taint.ts';
import { carryHandedIn } from './sources.ts';

/** Folds of dispatches, and of work modules and values in journals of earlier versions. */
export const teamFolds: Folds<'module.update' | 'dispatch.update' | 'state.update'> = {
  'module.update': updateModule,
  'dispatch.update': updateDispatch,
  'state.update': (run, event) => {
    noteChange(run, event);
    if (event.scope === 'team') run.team.shared = updated(run.team.shared, event);
    else if (event.agentId !== undefined) updateAgent(agentOf(run, event.agentId), event);
  },
};

function updateModule(run: RunContext, event: EventOf<'module.update'>): void {
  const { workModules } = run.team;
  // An id may be a name that every object has, such as `constructor`.
  const known = Object.hasOwn(workModules, event.moduleId) ? workModules[event.moduleId] : undefined;
  if (known === undefined) run.counters.modules += 1;
  const base: WorkModule = known ?? emptyModule(event.moduleId, event.at);
  workModules[event.moduleId] = Object.freeze({ ...base, ...event.patch, updated_at: event.at });
}

function updateDispatch(run: RunContext, event: EventOf<'dispatch.update'>): void {
  const { dispatchHistory, dispatchIndex, dispatchOfAgent } = run.team;
  const index = dispatchIndex.get(event.dispatchId) ?? dispatchHistory.length;
  const known = dispatchHistory[index];
  if (known === undefined) run.counters.dispatches += 1;
  const record = { ...(known ?? emptyDispatch(event)), ...event.patch };
  dispatchHistory[index] = record;
  dispatchIndex.set(event.dispatchId, index);
  dispatchOfAgent.set(record.agent_id, index);
}

function emptyDispatch(event: EventOf<'dispatch.update'>): DispatchRecord {
  return {
    dispatch_id: event.dispatchId,
    call_id: '' as DispatchRecord['call_id'],
    module_id: '',
    agent_id: '' as DispatchRecord['agent_id'],
    profile: '',
    role_name: '',
    status: 'QUEUED',
    started_at: event.at,
  };
}

function updateAgent(agent: SubContext, event: EventOf<'state.update'>): void {
  const [, root, path = ''] = /^(flags|deliverables|values)(?:\.(.*))?$/s.exec(event.path) ?? [];
  const slice = (root ?? 'values') as 'flags' | 'deliverables' | 'values';
  agent[slice] = updated(agent[slice], root === undefined ? event : { ...event, path });
}

/** Returns the object with one value set, increased, appended or removed; paths through prototypes are refused. */
function updated(
  target: JsonObject,
  event: { readonly operation: string; readonly path: string; readonly value?: JsonValue },
): JsonObject {
  const keys = event.path.split('.').filter((key) => key !== '');
  if (keys.length === 0 || keys.some((key) => key === '__proto__' || key === 'constructor' || key === 'prototype')) return target;
  return changed(target, keys, event);
}

/** Copies the objects on the path to the value and shares the rest, so both results must stay unchanged. */
function changed(
  target: JsonObject,
  [key = '', ...rest]: readonly string[],
  event: { readonly operation: string; readonly value?: JsonValue },
): JsonObject {
  const current = Object.hasOwn(target, key) ? target[key] : undefined;
  const next =
    rest.length === 0
      ? operated(current, event.operation, event.value)
      : changed(isJsonObject(current) ? current : {}, rest, event);
  if (next === current) return target;
  if (next === undefined) return Object.freeze(Object.fromEntries(Object.entries(target).filter(([name]) => name !== key)));
  return Object.freeze({ ...target, [key]: frozen(next) });
}

/** Returns a value after an operation; undefined when it is removed. */
function operated(current: JsonValue | undefined, operation: string, value: JsonValue | undefined): JsonValue | undefined {
  switch (operation) {
    case 'increment':
      return (typeof current === 'number' ? current : 0) + (typeof value === 'number' ? value : 1);
    case 'append':
      return [...(Array.isArray(current) ? (current as readonly JsonValue[]) : []), value ?? null];
    case 'remove': {
      if (value === undefined || !Array.isArray(current)) return undefined;
      const text = JSON.stringify(value);
      return (current as readonly JsonValue[]).filter((entry) => JSON.stringify(entry) !== text);
    }
    default:
      return value ?? null;
  }
}

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
  // What an agent hands in is what it says.
  if (agent !== undefined && event.patches.some(({ path }) => path[0] === 'deliverables')) carryHandedIn(agent);
  run.team.shared = team.shared;
  if (agent === undefined) return;
  const { team: _, ...slices } = state;
  Object.assign(agent, slices);
}
