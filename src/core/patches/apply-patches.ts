import { frozen } from '../frozen.ts';
import { isInheritedName, type Patch } from './patch.ts';

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
  for (const key of path.slice(0, -1)) {
    const inner = hasKey(target, key, false) ? target[key] : undefined;
    if (typeof inner !== 'object' || inner === null) throw misfit(patch);
    const next = copies.has(inner) ? inner : Array.isArray(inner) ? [...inner] : { ...inner };
    copies.add(next);
    target[key] = next;
    target = next as Container;
  }
  const key = path.at(-1);
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
