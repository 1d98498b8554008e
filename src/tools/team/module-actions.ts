import type { ModuleUpdate } from '../../core/team-events.ts';
import type { JsonObject } from '../../core/json.ts';
import { allowedMoves, canMove, type ModuleStatus, type WorkModule } from '../../core/work-module.ts';
import { findDependencyCycle } from '../../core/find-dependency-cycle.ts';

/** One change a planner asks for, as it stands in the call. */
export interface ModuleAction {
  readonly action: 'create' | 'update' | 'status_change';
  readonly module_id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly notes_from_principal?: string;
  readonly depends_on?: readonly string[];
  readonly executor?: string;
  readonly new_status?: ModuleStatus;
}

/** All actions carried out on a copy, or the first that cannot be. */
export type ModuleActionsResult =
  | { readonly ok: true; readonly updates: readonly ModuleUpdate[]; readonly touched: readonly WorkModule[] }
  | { readonly ok: false; readonly index: number; readonly reason: string };

interface Plan {
  readonly modules: Map<string, WorkModule>;
  readonly patches: Map<string, Partial<WorkModule>>;
  /** Ids that exist now or are created later in the same call. */
  readonly known: ReadonlySet<string>;
  readonly at: number;
}

/**
 * Carries out a planner's actions on a copy of the plan, in order, all or none.
 *
 * @param created modules the run has created so far: the next one is `WM_<created + 1>`
 */
export function applyModuleActions(
  modules: Readonly<Record<string, WorkModule>>,
  created: number,
  actions: readonly ModuleAction[],
  at: number,
): ModuleActionsResult {
  let next = created;
  const newIds = actions.filter((action) => action.action === 'create').map((_, position) => moduleIdAt(created + position));
  const plan: Plan = {
    modules: new Map(Object.entries(modules)),
    patches: new Map(),
    known: new Set([...Object.keys(modules), ...newIds]),
    at,
  };
  for (const [index, action] of actions.entries()) {
    const id = action.action === 'create' ? moduleIdAt(next++) : (action.module_id ?? '');
    const reason = applyAction(plan, id, action) ?? cycleReason(plan, id);
    if (reason !== undefined) return { ok: false, index, reason };
  }
  return {
    ok: true,
    updates: [...plan.patches].map(([moduleId, patch]) => ({ type: 'module.update', moduleId, patch })),
    touched: [...plan.patches.keys()].flatMap((id) => plan.modules.get(id) ?? []),
  };
}

function moduleIdAt(created: number): string {
  return `WM_${created + 1}`;
}

/** Changes the plan, or says why the action cannot be carried out. */
function applyAction(plan: Plan, id: string, action: ModuleAction): string | undefined {
  switch (action.action) {
    case 'create':
      return createModule(plan, id, action);
    case 'update':
      return updateModule(plan, id, action);
    case 'status_change':
      return moveModule(plan, id, action);
  }
}

function createModule(plan: Plan, id: string, action: ModuleAction): string | undefined {
  if (isBlank(action.name) || isBlank(action.description)) return 'a new module needs a name and a description';
  if (action.module_id !== undefined && action.module_id !== id) {
    return `ids are given, not chosen: this module becomes ${id}; leave module_id out, or use update for an existing module`;
  }
  const reason = dependencyReason(plan, id, action);
  if (reason !== undefined) return reason;
  const module: WorkModule = {
    module_id: id,
    name: action.name ?? '',
    description: action.description ?? '',
    status: 'pending',
    notes_from_principal: action.notes_from_principal ?? '',
    depends_on: action.depends_on ?? [],
    ...(action.executor === undefined ? {} : { executor: action.executor }),
    deliverables: {},
    context_archive: [],
    assignee_history: [],
    review_info: null,
    created_at: plan.at,
    updated_at: plan.at,
  };
  plan.modules.set(id, module);
  plan.patches.set(id, module);
  return undefined;
}

function updateModule(plan: Plan, id: string, action: ModuleAction): string | undefined {
  const patch = editableFields(action);
  if (Object.keys(patch).length === 0) return 'nothing to change: give name, description, notes_from_principal or depends_on';
  if (action.new_status !== undefined) return 'an update does not change the status: use a status_change action';
  if (action.name !== undefined && isBlank(action.name)) return 'a module needs a name';
  return unknownModule(plan, id) ?? dependencyReason(plan, id, action) ?? change(plan, id, patch);
}

function moveModule(plan: Plan, id: string, action: ModuleAction): string | undefined {
  const module = plan.modules.get(id);
  const to = action.new_status;
  if (module === undefined) return unknownModule(plan, id);
  if (to === undefined) return 'new_status is missing';
  if (!canMove(module.status, to, 'planner')) {
    const allowed = allowedMoves(module.status, 'planner');
    const choices = allowed.length === 0 ? 'wait until its associate is done' : `from there you may set: ${allowed.join(', ')}`;
    return `${id} is ${module.status} and cannot become ${to}; ${choices}`;
  }
  const notes = action.notes_from_principal === undefined ? {} : { notes_from_principal: action.notes_from_principal };
  // A module that is open again has no review; what its attempts brought stays in context_archive.
  return change(plan, id, { status: to, ...notes, ...(to === 'pending' ? { review_info: null } : {}) });
}

function editableFields(action: ModuleAction): Partial<WorkModule> {
  return {
    ...(action.name === undefined ? {} : { name: action.name }),
    ...(action.description === undefined ? {} : { description: action.description }),
    ...(action.notes_from_principal === undefined ? {} : { notes_from_principal: action.notes_from_principal }),
    ...(action.depends_on === undefined ? {} : { depends_on: action.depends_on }),
  };
}

function change(plan: Plan, id: string, patch: Partial<WorkModule>): undefined {
  const module = plan.modules.get(id);
  if (module === undefined) return undefined;
  plan.modules.set(id, { ...module, ...patch, updated_at: plan.at });
  plan.patches.set(id, { ...plan.patches.get(id), ...patch });
  return undefined;
}

function unknownModule(plan: Plan, id: string): string | undefined {
  if (plan.modules.has(id)) return undefined;
  const ids = [...plan.modules.keys()].join(', ');
  return `there is no module ${id === '' ? 'without module_id' : JSON.stringify(id)}; ${ids === '' ? 'no module exists yet' : `there are: ${ids}`}`;
}

function dependencyReason(plan: Plan, id: string, action: ModuleAction): string | undefined {
  const unknown = (action.depends_on ?? []).filter((other) => !plan.known.has(other));
  if (unknown.length > 0)
    return `depends_on of ${id} names ${unknown.join(', ')}, which does not exist; there are: ${[...plan.known].join(', ')}`;
  return undefined;
}

function cycleReason(plan: Plan, id: string): string | undefined {
  const cycle = findDependencyCycle(id, (module) => plan.modules.get(module)?.depends_on ?? []);
  return cycle === undefined ? undefined : `depends_on would form a cycle: ${cycle.join(' → ')}`;
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

/** Reads the actions of a call whose arguments were checked against the tool's schema. */
export function moduleActionsOf(args: JsonObject): readonly ModuleAction[] {
  const { actions } = args;
  return Array.isArray(actions) ? (actions as readonly ModuleAction[]) : [];
}
