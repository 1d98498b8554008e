import { isInheritedName, type Patch } from './patch.ts';
import { isWorkModule } from '../team/check-module.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { PatchedState } from './state-patch.ts';

type Container = Record<string | number, unknown>;

/** Longest path of a patch. */
const maxPathLength = 128;

/**
 * Applies patches to a state in order.
 *
 * 1. Copies each container that changes once, and shares everything else; the copies and the new values are frozen.
 * 2. Writes in place to the containers in `owned`, which must include the root.
 * 3. Throws an Error that names the place when a patch does not fit; the containers in `owned` may be partly changed by then.
 */
export function applyPatches(root: object, patches: readonly Patch[], owned: readonly object[]): void {
  const copies = new Set<object>(owned);
  for (const patch of patches) applyPatch(root, patch, copies);
  for (const kept of owned) copies.delete(kept);
  for (const copy of copies) Object.freeze(copy);
}

/** Applies one patch; may write to containers in `copies`, and adds the ones it copies. */
export function applyPatch(root: object, patch: Patch, copies: Set<object>): void {
  const { op, path, value } = patch;
  let target = root as Container;
  const last = path.length - 1;
  for (let depth = 0; depth < last; depth += 1) {
    const key = path[depth];
    const inner = hasKey(target, key, false) ? target[key] : undefined;
    if (typeof inner !== 'object' || inner === null) throw misfit(patch);
    if (copies.has(inner)) {
      target = inner as Container;
      continue;
    }
    const copy: object = Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner };
    copies.add(copy);
    target[key as string] = copy;
    target = copy as Container;
  }
  const key = path[last];
  if (!hasKey(target, key, op === 'add') || path.length > maxPathLength) throw misfit(patch);
  const list = Array.isArray(target) && op !== 'replace' ? (target as unknown[]) : undefined;
  if (op === 'remove') {
    if (list === undefined) delete target[key];
    else list.splice(Number(key), 1);
  } else if (value === undefined || (op !== 'add' && op !== 'replace')) throw misfit(patch);
  else if (list === undefined) target[key] = frozen(value);
  else list.splice(Number(key), 0, frozen(value));
}

/** True for an index of a list, and for a name that an object has, or may get when it is added. */
function hasKey(target: Container, key: unknown, isNew: boolean): key is string | number {
  if (Array.isArray(target)) return Number.isInteger(key) && Number(key) >= 0 && Number(key) < target.length + Number(isNew);
  return typeof key === 'string' && !isInheritedName(key) && (isNew || Object.hasOwn(target, key));
}

function misfit({ op, path }: Patch): Error {
  return new Error(`patch ${op} ${JSON.stringify(path.slice(0, 8))} does not fit the state`);
}

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
  const known = new Map<string, boolean>();
  for (const { path } of patches) {
    const id = path[1] === 'work_modules' ? String(path[2]) : undefined;
    if (id !== undefined && !known.has(id)) known.set(id, Object.hasOwn(modules, id));
  }
  applyPatches(state, patches, [state, team, modules]);
  const { team: same, ...slices } = state;
  if (
    Object.keys(state).length !== size ||
    Object.keys(team).length !== 2 ||
    same !== team ||
    team.work_modules !== modules ||
    ![...Object.values(slices), team.shared].every(isJsonObject)
  )
    throw typeChange();
  let added = 0;
  for (const [id, wasThere] of known) {
    const isThere = Object.hasOwn(modules, id);
    if (isThere && !isWorkModule(id, modules[id])) throw typeChange();
    added += Number(isThere) - Number(wasThere);
  }
  return Math.max(0, added);
}

function typeChange(): Error {
  return new Error('a patch changes the type of a part of the state');
}

/** Freezes a value deeply, and returns it. */
export function frozen<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (isJsonObject(value))
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (typeof inner === 'object' && inner !== null) frozen(inner);
    }
  else for (const inner of Object.values(value) as readonly JsonValue[]) if (typeof inner === 'object') frozen(inner);
  return Object.freeze(value);
}
