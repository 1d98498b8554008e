import type { JsonValue } from '../json.ts';

/**
 * One change of state. `path` leads from the root (`flags`, `values`, `deliverables`, `team`) to a key of an object or an index
 * of a list. In a list, `add` inserts and `remove` closes the gap.
 */
export interface Patch {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: readonly (string | number)[];
  /** The new value; absent for `remove`. */
  readonly value?: JsonValue;
}

/** Changes and their undo: `inverse[i]` undoes `patches[patches.length - 1 - i]`. */
export interface Changes {
  readonly patches: readonly Patch[];
  readonly inverse: readonly Patch[];
}

/** True for names that every object inherits: paths may not contain them, so that no patch reaches a prototype. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype || name === 'prototype';
}
