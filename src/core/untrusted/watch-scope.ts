import { MAX_DATA_DEPTH, failure } from '../expression/evaluation.ts';
import type { Scope } from '../expression/roots.ts';
import type { Labels } from './taint.ts';

/*
 * Reads of untrusted text, observed while they happen.
 *
 * Owns: which untrusted sources the texts come from that code reads from a scope, through whatever expression, path or function. Does not
 * own: where untrusted text is (`scope-origins.ts`).
 * 1. Every read below a view is observed where it happens, so that the spelling of a path, computed keys, whole objects, loops and functions
 *    make no difference.
 * 2. Trusted values below a view are the values themselves, not views.
 * 3. Numbers, booleans and null are never observed.
 */

/** Origins of a value and all below it, or those of each field of an object or list. */
export type Origins = Labels | OriginsByKey;

/** Origins of the fields of an object, or of the entries of a list. */
export interface OriginsByKey {
  readonly field: (key: string) => Origins;
  /** Origins of the names of its keys; absent when they are no text from outside. */
  readonly names?: () => Labels;
}

/** Origins of text that the engine, the profile or the user wrote. */
export const trusted: Labels = Object.freeze([]);

/** True for the origins of a value without any untrusted text. */
export function isTrusted(origins: Origins): boolean {
  return 'length' in origins && origins.length === 0;
}

interface View {
  readonly target: object;
  readonly origins: Origins;
}

/** A scope whose reads are observed. */
export class ScopeWatch {
  readonly scope: Scope;
  /** Untrusted sources of all text read so far. */
  readonly labels = new Set<string>();
  readonly #views = new WeakMap<object, View>();
  readonly #viewOf = new WeakMap<object, { readonly origins: Origins; readonly view: object }>();

  constructor(scope: Scope, origins: (root: string) => Origins) {
    this.scope = this.#view(scope, { field: origins }) as Scope;
  }

  /** Returns what a value is a view of, with its origins; undefined for a value that is no view of this watch. */
  viewed(value: object): View | undefined {
    return this.#views.get(value);
  }

  /** Reads all text in a value, and returns it without views. */
  readIn(value: unknown): unknown {
    this.readAll(value);
    return this.unwrap(value);
  }

  /** Reads all text in a value. */
  readAll(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DATA_DEPTH) throw failure(`the value is nested deeper than ${MAX_DATA_DEPTH} levels`);
    for (const key of Object.keys(value)) this.readAll((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }

  /** Returns a value without views; a value that holds none is returned itself. */
  unwrap(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const view = this.#views.get(value);
    if (view !== undefined) return view.target;
    return mapEntries(value, (each) => this.unwrap(each));
  }

  #view(target: object, origins: Origins): object {
    const known = this.#viewOf.get(target);
    if (known?.origins === origins) return known.view;
    // A stand-in is the proxy's target: a proxy of a frozen object could not return views of what is in it.
    const view = new Proxy<object>(Array.isArray(target) ? [] : {}, this.#handler(target, origins));
    this.#views.set(view, { target, origins });
    this.#viewOf.set(target, { origins, view });
    return view;
  }

  #handler(target: object, origins: Origins): ProxyHandler<object> {
    const read = (key: string): unknown => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
      const from = originsAt(origins, key);
      if (isTrusted(from)) return value;
      if (typeof value === 'object') return this.#view(value, from);
      if (value !== '') this.#note(from);
      return value;
    };
    return {
      get: (_, key) => (typeof key === 'string' && Object.hasOwn(target, key) ? read(key) : Reflect.get(target, key)),
      has: (_, key) => Reflect.has(target, key),
      ownKeys: () => {
        const keys = Reflect.ownKeys(target);
        if (!Array.isArray(target) && keys.length > 0) this.#note(origins);
        return keys;
      },
      getOwnPropertyDescriptor: (stand, key) => {
        const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
        if (descriptor === undefined) return undefined;
        // The length of a list: the stand-in has one, too, which must look the same.
        if (Object.hasOwn(stand, key))
          return { ...descriptor, value: Reflect.get(target, key), writable: true, configurable: false };
        const get = typeof key === 'string' ? () => read(key) : () => Reflect.get(target, key) as unknown;
        // Read only when the value is: listing the keys of an object reads no value.
        return { get, enumerable: descriptor.enumerable ?? false, configurable: true };
      },
    };
  }

  #note(origins: Origins): void {
    for (const label of 'length' in origins ? origins : (origins.names?.() ?? trusted)) this.labels.add(label);
  }
}

/** Returns the origins of one field or entry. */
export function originsAt(origins: Origins, key: string): Origins {
  return 'length' in origins ? origins : origins.field(key);
}

/** Returns a list or object with each entry replaced; the same one when no entry changes. */
export function mapEntries(value: object, change: (value: unknown, key: string) => unknown): object {
  const keys = Object.keys(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const changed = keys.map((key) => change(fields[key], key));
  if (changed.every((each, index) => each === fields[keys[index] ?? ''])) return value;
  return Array.isArray(value) ? changed : Object.fromEntries(keys.map((key, index) => [key, changed[index]]));
}
