import type { JsonObject, JsonValue } from '../json.ts';
import type { SubContext, RunContext } from '../state/state.ts';
import type { WorkModule } from '../team/work-module.ts';

/**
 * One change of state. `path` leads from the root (`flags`, `values`, `deliverables`, `team`) to a key of an object or an index of a
 * list. In a list, `add` inserts and `remove` closes the gap.
 */
export interface Patch {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: readonly (string | number)[];
  /** The new value; absent for `remove`. */
  readonly value?: JsonValue;
}

/** What changed, and what undoes it: `inverse[i]` undoes `patches[patches.length - 1 - i]`. */
export interface Changes {
  readonly patches: readonly Patch[];
  readonly inverse: readonly Patch[];
}

/** What patches change: the free values of one agent, and those and the work modules of its team. */
export interface PatchedState {
  flags: JsonObject;
  values: JsonObject;
  deliverables: JsonObject;
  readonly team: { shared: JsonObject; readonly work_modules: Readonly<Record<string, WorkModule>> };
}

const nothing: JsonObject = Object.freeze({});

/** Collects what patches change of a run, for one agent or for the team alone. Modules are the run's own, not copies. */
export function patchedState({ team }: Pick<RunContext, 'team'>, agent: SubContext | undefined): PatchedState {
  const { flags, values, deliverables } = agent ?? { flags: nothing, values: nothing, deliverables: nothing };
  return { flags, values, deliverables, team: { shared: team.shared, work_modules: team.workModules } };
}

/** True for names that every object inherits: no path may contain one, so that no patch reaches a prototype. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype || name === 'prototype';
}
