import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { isInheritedName, type Patch } from './patch.ts';
import { applyPatch } from './apply-patches.ts';
import type { PatchedState } from './state-patch.ts';

/** One change as profiles, observers and tools write it. */
export interface StateOperation {
  readonly operation: 'set' | 'increment' | 'append' | 'remove';
  /** `flags.x`, `values.x`, `deliverables.x`, `team.shared.x`; any other path means `values`. */
  readonly path: string;
  readonly value?: JsonValue | undefined;
}

type Path = readonly (string | number)[];

const longestShown = 120;
const maxKeys = 100;

/**
 * Applies one update to a working copy of state.
 *
 * 1. Creates missing objects on the path; null counts as missing. A list is entered by the index of an entry.
 * 2. A value of another type than the operation needs is an error that names path, operation and value; nothing is guessed.
 *
 * @throws Error when the update does not fit the state; the working copy is unusable afterwards
 */
export function updateState(edit: StateEdit, update: StateOperation): void {
  for (const patch of patchesOf(edit.state, update)) edit.apply(patch);
}

function patchesOf(state: object, update: StateOperation): readonly Patch[] {
  const keys = keysOf(update);
  let target: unknown = state;
  const path: (string | number)[] = [];
  for (const [index, name] of keys.entries()) {
    const rest = keys.slice(index + 1);
    const key = keyIn(target, name, { path, update, isLast: rest.length === 0 });
    const value = ownValue(target, key);
    path.push(key);
    if (rest.length === 0) return leaf(value, path, update);
    if (value === undefined || value === null) return update.operation === 'remove' ? [] : [create(value, path, rest, update)];
    if (typeof value !== 'object') throw refused(update, `${path.join('.')} is ${kindOf(value)}, and nothing lies below it`);
    target = value;
  }
  return [];
}

function keysOf(update: StateOperation): readonly string[] {
  const { path, operation } = update;
  if (!Object.hasOwn(leaves, operation)) throw refused(update, `allowed operations: ${Object.keys(leaves).join(', ')}`);
  const named = path
    .replace(/^state\./, '')
    .split('.')
    .filter((key) => key !== '');
  const [root = '', next] = named;
  const isTeam = root === 'team';
  const own = slices.has(root) ? named : ['values', ...named];
  const keys = isTeam ? ['team', 'shared', ...named.slice(next === 'shared' ? 2 : 1)] : own;
  if (keys.length < (isTeam ? 3 : 2))
    throw refused(update, 'a path names a value, like flags.x, values.x, deliverables.x or team.shared.x');
  if (keys.length > maxKeys) throw refused(update, `a path has ${maxKeys} names at most`);
  const inherited = keys.find(isInheritedName);
  if (inherited !== undefined) throw refused(update, `'${inherited}' is a name that every object has; no path may contain it`);
  return keys;
}

const slices: ReadonlySet<string> = new Set(['flags', 'values', 'deliverables']);

/** Returns the key of a name in an object or a list. */
function keyIn(
  target: unknown,
  name: string,
  { path, update, isLast }: { readonly path: Path; readonly update: StateOperation; readonly isLast: boolean },
): string | number {
  if (!Array.isArray(target)) return name;
  const index = /^(0|[1-9]\d{0,9})$/.test(name) ? Number(name) : undefined;
  if (index !== undefined && index < target.length) return index;
  const size = target.length === 1 ? '1 entry' : `${target.length} entries`;
  const hint = isLast && update.operation === 'set' ? '; append adds one' : '';
  throw refused(update, `${path.join('.')} is a list of ${size}, and ${JSON.stringify(name)} is the index of none${hint}`);
}

/** Creates the missing objects on the path, with the value in them. */
function create(before: JsonValue | undefined, path: Path, rest: readonly string[], update: StateOperation): Patch {
  const [patch] = leaf(undefined, [], update);
  const value = rest.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }) satisfies JsonObject, patch?.value ?? null);
  return { op: before === undefined ? 'add' : 'replace', path, value };
}

function leaf(before: JsonValue | undefined, path: Path, update: StateOperation): readonly Patch[] {
  return leaves[update.operation](before, path, update);
}

type Leaf = (before: JsonValue | undefined, path: Path, update: StateOperation) => readonly Patch[];

/** Effect of each operation on the value at the end of its path. */
const leaves: Readonly<Record<StateOperation['operation'], Leaf>> = {
  set: (before, path, { value = null }) => [put(before, path, value)],
  increment: (before, path, update) => {
    const { value = 1 } = update;
    if (typeof value !== 'number') throw refused(update, 'increment adds a number');
    const base = before ?? 0;
    if (typeof base !== 'number') throw refused(update, `${update.path} is ${kindOf(base)}, and increment needs a number`);
    if (!Number.isFinite(base + value)) throw refused(update, `${base} + ${value} is more than a number can hold`);
    return [put(before, path, base + value)];
  },
  append: (before, path, update) => {
    const { value = null } = update;
    if (before === undefined || before === null) return [put(before, path, [value])];
    if (!Array.isArray(before)) throw refused(update, `${update.path} is ${kindOf(before)}, and append needs a list`);
    return [{ op: 'add', path: [...path, before.length], value }];
  },
  remove: (before, path, update) => {
    if (before === undefined) return [];
    if (update.value === undefined) return [{ op: 'remove', path }];
    if (before === null) return [];
    if (!Array.isArray(before)) throw refused(update, `${update.path} is ${kindOf(before)}, and a value is removed from a list`);
    const text = JSON.stringify(update.value);
    const places = before.flatMap((entry, index) => (JSON.stringify(entry) === text ? [index] : []));
    // From the end, so that the remaining indexes stay valid.
    return places.toReversed().map((index) => ({ op: 'remove', path: [...path, index] }));
  },
};

function put(before: JsonValue | undefined, path: Path, value: JsonValue): Patch {
  return { op: before === undefined ? 'add' : 'replace', path, value };
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return typeof value === 'string' ? 'a text' : `the ${typeof value} ${String(value)}`;
}

function refused({ operation, path, value }: StateOperation, why: string): Error {
  const text = value === undefined ? '' : ` ${JSON.stringify(value)}`;
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  return new Error(`update_state cannot ${operation}${shown} at ${path === '' ? "''" : path}: ${why}. Nothing was changed.`);
}

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
