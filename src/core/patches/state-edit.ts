import { applyPatch } from './apply-patches.ts';
import type { JsonValue } from '../json.ts';
import type { PatchedState } from './state-patch.ts';
import type { Patch } from './patch.ts';

/** A working copy of patched state, with the patches so far and their inverses. */
export class StateEdit {
  readonly patches: Patch[] = [];
  readonly inverse: Patch[] = [];
  readonly #state: PatchedState;
  readonly #copies: Set<object>;
  #pending: Patch | undefined;

  constructor({ team, ...own }: PatchedState) {
    this.#state = { ...own, team: { ...team } };
    this.#copies = new Set([this.#state, this.#state.team]);
  }

  /** The state with all patches applied. The last patch is applied on read, which is rare: the fold applies them all. */
  get state(): PatchedState {
    if (this.#pending !== undefined) applyPatch(this.#state, this.#pending, this.#copies);
    this.#pending = undefined;
    return this.#state;
  }

  /** Adds a patch, which must fit the state. */
  apply(patch: Patch): void {
    this.inverse.unshift(inverseOf(this.state, patch));
    this.patches.push(patch);
    this.#pending = patch;
  }
}

/** Returns the patch that undoes a patch of this state. */
function inverseOf(state: PatchedState, { op, path }: Patch): Patch {
  let parent: unknown = state;
  for (const key of path.slice(0, -1)) parent = ownValue(parent, key);
  const value = ownValue(parent, path.at(-1) ?? '');
  if (op === 'remove') return { op: 'add', path, value: value ?? null };
  return value === undefined || (op === 'add' && Array.isArray(parent)) ? { op: 'remove', path } : { op: 'replace', path, value };
}

/** Returns the own value of an object or list under a key; undefined when there is none. */
export function ownValue(container: unknown, key: string | number): JsonValue | undefined {
  if (typeof container !== 'object' || container === null || !Object.hasOwn(container, key)) return undefined;
  return (container as Readonly<Record<string | number, JsonValue>>)[key];
}
