import type { JsonValue } from '../json.ts';
import { isInheritedName, type Patch } from './patch.ts';
import { toWire } from '../tool/to-wire.ts';

/** Most patches within one object or list; with more changes, it is replaced as a whole. */
const maxPatches = 256;

/** Deepest place that gets its own patch. */
const maxDepth = 100;

/** Collects changes step by step, with the undo of each step. */
export class StateDiff {
  readonly #steps: { readonly patch: Patch; readonly undo: Patch }[] = [];

  get patches(): readonly Patch[] {
    return this.#steps.map(({ patch }) => patch);
  }

  /** `inverse[i]` undoes `patches[patches.length - 1 - i]`. */
  get inverse(): readonly Patch[] {
    return this.#steps.map(({ undo }) => undo).reverse();
  }

  /**
   * Adds the changes from one value to another at a path; true when there are any. `before` is JSON of state, undefined when
   * absent; `after` may share parts with it, which are skipped, and is converted to JSON by the rules of `toWire`.
   */
  compare(path: Patch['path'], before: JsonValue | undefined, after: unknown): boolean {
    const from = this.#steps.length;
    this.#compare(path, before, after);
    return this.#steps.length > from;
  }

  #compare(path: Patch['path'], before: JsonValue | undefined, after: unknown): void {
    if (before === after) return;
    if (before === undefined) return this.#add({ op: 'add', path, value: toWire(after) }, { op: 'remove', path });
    const from = this.#steps.length;
    if (path.length < maxDepth && this.#compareInside(path, before, after) && this.#steps.length - from <= maxPatches) return;
    this.#steps.length = from;
    const value = toWire(after);
    if (value !== before) this.#add({ op: 'replace', path, value }, { op: 'replace', path, value: before });
  }

  /** Compares part by part; false when the value must be replaced as a whole. */
  #compareInside(path: Patch['path'], before: JsonValue, after: unknown): boolean {
    if (isPlain(before) && isPlain(after)) return this.#compareObjects(path, before, after);
    if (!isList(before) || !isList(after)) return false;
    this.#compareLists(path, before, after);
    return true;
  }

  #compareObjects(path: Patch['path'], before: Plain, after: Plain): boolean {
    const keys = Object.keys(after);
    let common = 0;
    for (const key of Object.keys(before)) {
      const old = before[key];
      const isKept = Object.hasOwn(after, key);
      const now = isKept ? after[key] : undefined;
      common += Number(isKept);
      if (old === now) continue;
      if (isInheritedName(key)) return false;
      const at = [...path, key];
      if (now !== undefined) this.compare(at, old as JsonValue, now);
      else this.#add({ op: 'remove', path: at }, { op: 'add', path: at, value: old as JsonValue });
    }
    if (common === keys.length) return true;
    for (const key of keys) {
      if (after[key] === undefined || Object.hasOwn(before, key)) continue;
      if (isInheritedName(key)) return false;
      this.compare([...path, key], undefined, after[key]);
    }
    return true;
  }

  /** Keeps the common beginning and end; between them, compares entries one by one, then adds or removes the rest. */
  #compareLists(path: Patch['path'], before: readonly JsonValue[], after: readonly unknown[]): void {
    let start = 0;
    while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
    let tail = 0;
    while (tail < before.length - start && tail < after.length - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
    const same = Math.min(before.length, after.length) - tail;
    for (let index = start; index < same; index += 1) this.compare([...path, index], before[index] ?? null, after[index] ?? null);
    for (let index = same; index < after.length - tail; index += 1) this.compare([...path, index], undefined, after[index] ?? null);
    for (let index = before.length - tail - 1; index >= same; index -= 1)
      this.#add({ op: 'remove', path: [...path, index] }, { op: 'add', path: [...path, index], value: before[index] ?? null });
  }

  #add(patch: Patch, undo: Patch): void {
    this.#steps.push({ patch, undo });
  }
}

function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

type Plain = Readonly<Record<string, unknown>>;

/** True for plain objects: all their content is in own keys. */
export function isPlain(value: unknown): value is Plain {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function';
}
