import type { JsonObject } from '../json.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { WorkModule } from '../team/work-module.ts';

/** The part of state that patches change: the free values of one agent, and those and the work modules of its team. */
export interface PatchedState {
  flags: JsonObject;
  values: JsonObject;
  deliverables: JsonObject;
  readonly team: { shared: JsonObject; readonly work_modules: Readonly<Record<string, WorkModule>> };
}

const nothing: JsonObject = Object.freeze({});

/** Returns the patchable state of a run, for one agent or for the team alone. Modules are the run's own, not copies. */
export function patchedState({ team }: Pick<RunContext, 'team'>, agent: SubContext | undefined): PatchedState {
  const { flags, values, deliverables } = agent ?? { flags: nothing, values: nothing, deliverables: nothing };
  return { flags, values, deliverables, team: { shared: team.shared, work_modules: team.workModules } };
}
