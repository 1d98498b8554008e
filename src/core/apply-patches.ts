import { frozen } from './frozen.ts';
import { isInheritedName, type Patch } from './state-patch.ts';

type Container = Record<string | number, unknown>;

/**
 * Applies patches to a state in order.
 *
 * 1. Copies the containers that change, once each, and shares everything else; the copies and the new values are frozen.
 * 2. Writes in place to the containers in `owned`: the root must be among them.
 * 3. Throws an Error that names the place when a patch does not fit; what is in `owned` may be half changed by then.
 */
export function applyPatches(root: object, patches: readonly Patch[], owned: readonly object[]): void {
  const copies = new Set<object>(owned);
  for (const patch of patches) applyPatch(root, patch, copies);
  for (const kept of owned) copies.delete(kept);
  for (const copy of copies) Object.freeze(copy);
}

/** Applies one patch; containers in `copies` may be written to, and those that are copied join them. */
export function applyPatch(root: object, { op, path, value }: Patch, copies: Set<object>): void {
  let target = root as Container;
  for (const key of path.slice(0, -1)) {
    const inner = target[check(target, key, 'replace', path)];
    if (typeof inner !== 'object' || inner === null) throw misfit(path, 'it leads through a value that holds nothing');
    const next = copies.has(inner) ? inner : Array.isArray(inner) ? [...inner] : { ...inner };
    copies.add(next);
    target[key] = next;
    target = next as Container;
  }
  const key = check(target, path.at(-1), op, path);
  const list = Array.isArray(target) ? (target as unknown[]) : undefined;
  if (op === 'remove') {
    if (list === undefined) delete target[key];
    else list.splice(key as number, 1);
    return;
  }
  if (value === undefined) throw misfit(path, 'it has no value');
  if (op === 'add' && list !== undefined) list.splice(key as number, 0, frozen(value));
  else target[key] = frozen(value);
}

/** The key as it may be used: an index of the list, or a name of the object itself. */
function check(target: Container, key: unknown, op: Patch['op'], path: unknown): string | number {
  if (Array.isArray(target)) {
    if (Number.isInteger(key) && (key as number) >= 0 && (key as number) < target.length + (op === 'add' ? 1 : 0))
      return key as number;
  } else if (typeof key === 'string' && !isInheritedName(key) && (op === 'add' || Object.hasOwn(target, key))) return key;
  throw misfit(path, `there is no ${JSON.stringify(key) ?? 'end of it'}`);
}

function misfit(path: unknown, why: string): Error {
  return new Error(`patch ${JSON.stringify(path)} does not fit: ${why}`);
}
