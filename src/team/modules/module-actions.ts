import type { EventDraft } from '../../core/events/event.ts';
import type { JsonObject } from '../../core/json.ts';
import type { DraftModule, Recipe, StateDraft } from '../../core/patches/state-draft.ts';
import { allowedMoves, canMove, emptyModule, type ModuleStatus, type WorkModule } from '../../core/team/work-module.ts';
import { findDependencyCycle } from '../../core/team/find-dependency-cycle.ts';

/** One change in a planner's call. */
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

/** A module that an action touched, in its state after all actions. */
export type TouchedModule = Pick<WorkModule, 'module_id' | 'name' | 'status' | 'depends_on'>;

/** All actions as one state change, or the first action that fails. */
export type ModuleActionsResult =
  | { readonly ok: true; readonly events: readonly EventDraft[]; readonly touched: readonly TouchedModule[] }
  | { readonly ok: false; readonly index: number; readonly reason: string };

/** The work modules while actions change them. */
interface PlanDraft {
  readonly at: number;
  readonly modules: StateDraft['team']['work_modules'];
  readonly touched: Set<string>;
  /** Ids that exist now or are created later in the same call. */
  readonly known: ReadonlySet<string>;
}

/** Context in which actions are applied. */
export interface PlanPlace {
  /** Number of modules created in the run; the next one is `WM_<created + 1>`. */
  readonly created: number;
  readonly at: number;
  /** Runs a recipe on the team state and returns its events. */
  readonly change: (recipe: Recipe) => readonly EventDraft[];
}

/** Applies a planner's actions to a draft of the plan, in order, all or none. */
export function applyModuleActions(actions: readonly ModuleAction[], { created, at, change }: PlanPlace): ModuleActionsResult {
  let failure: { readonly index: number; readonly reason: string } | undefined;
  let touched: readonly TouchedModule[] = [];
  try {
    const events = change(({ team: { work_modules: modules } }) => {
      let next = created;
      const newIds = actions.flatMap(({ action }) => (action === 'create' ? [moduleIdAt(next++)] : []));
      const plan: PlanDraft = { at, modules, touched: new Set(), known: new Set([...Object.keys(modules), ...newIds]) };
      next = created;
      for (const [index, action] of actions.entries()) {
        const id = action.action === 'create' ? moduleIdAt(next++) : (action.module_id ?? '');
        const reason = applyAction(plan, id, action) ?? cycleReason(plan, id);
        if (reason === undefined) continue;
        failure = { index, reason };
        throw new Error(reason);
      }
      touched = [...plan.touched].flatMap((id) => toTouched(modules[id]) ?? []);
    });
    return { ok: true, events, touched };
  } catch (thrown) {
    if (failure === undefined) throw thrown;
    return { ok: false, ...failure };
  }
}

function toTouched(module: DraftModule | undefined): TouchedModule | undefined {
  if (module === undefined) return undefined;
  const { module_id, name, status, depends_on } = module;
  return { module_id, name, status, depends_on: [...depends_on] };
}

function moduleIdAt(created: number): string {
  return `WM_${created + 1}`;
}

/** Applies an action to the plan, or returns the reason it cannot. */
function applyAction(plan: PlanDraft, id: string, action: ModuleAction): string | undefined {
  switch (action.action) {
    case 'create':
      return createModule(plan, id, action);
    case 'update':
      return updateModule(plan, id, action);
    case 'status_change':
      return moveModule(plan, id, action);
  }
}

function createModule(plan: PlanDraft, id: string, action: ModuleAction): string | undefined {
  if (isBlank(action.name) || isBlank(action.description)) return 'a new module needs a name and a description';
  if (action.module_id !== undefined && action.module_id !== id) {
    return `ids are given, not chosen: this module becomes ${id}; leave module_id out, or use update for an existing module`;
  }
  const reason = dependencyReason(plan, id, action);
  if (reason !== undefined) return reason;
  const { name = '', description = '', notes_from_principal = '', depends_on = [], executor } = action;
  plan.modules[id] = {
    ...(emptyModule(id, plan.at) as DraftModule),
    name,
    description,
    notes_from_principal,
    depends_on: [...depends_on],
    ...(executor === undefined ? {} : { executor }),
  };
  plan.touched.add(id);
  return undefined;
}

function updateModule(plan: PlanDraft, id: string, action: ModuleAction): string | undefined {
  const patch = editableFields(action);
  if (Object.keys(patch).length === 0) return 'nothing to change: give name, description, notes_from_principal or depends_on';
  if (action.new_status !== undefined) return 'an update does not change the status: use a status_change action';
  if (action.name !== undefined && isBlank(action.name)) return 'a module needs a name';
  return unknownModule(plan, id) ?? dependencyReason(plan, id, action) ?? change(plan, id, patch);
}

function moveModule(plan: PlanDraft, id: string, action: ModuleAction): string | undefined {
  const module = moduleOf(plan, id);
  const to = action.new_status;
  if (module === undefined) return unknownModule(plan, id);
  if (to === undefined) return 'new_status is missing';
  if (!canMove(module.status, to, 'planner')) {
    const allowed = allowedMoves(module.status, 'planner');
    const choices = allowed.length === 0 ? 'wait until its associate is done' : `from there you may set: ${allowed.join(', ')}`;
    return `${id} is ${module.status} and cannot become ${to}; ${choices}`;
  }
  const notes = action.notes_from_principal === undefined ? {} : { notes_from_principal: action.notes_from_principal };
  // A reopened module has no review; the results of its attempts stay in context_archive.
  return change(plan, id, { status: to, ...notes, ...(to === 'pending' ? { review_info: null } : {}) });
}

function editableFields(action: ModuleAction): Partial<DraftModule> {
  return {
    ...(action.name === undefined ? {} : { name: action.name }),
    ...(action.description === undefined ? {} : { description: action.description }),
    ...(action.notes_from_principal === undefined ? {} : { notes_from_principal: action.notes_from_principal }),
    ...(action.depends_on === undefined ? {} : { depends_on: [...action.depends_on] }),
  };
}

function change(plan: PlanDraft, id: string, fields: Partial<DraftModule>): undefined {
  const module = moduleOf(plan, id);
  if (module !== undefined) Object.assign(module, fields);
  plan.touched.add(id);
  return undefined;
}

function moduleOf({ modules }: PlanDraft, id: string): DraftModule | undefined {
  return Object.hasOwn(modules, id) ? modules[id] : undefined;
}

function unknownModule(plan: PlanDraft, id: string): string | undefined {
  if (moduleOf(plan, id) !== undefined) return undefined;
  const ids = Object.keys(plan.modules).join(', ');
  return `there is no module ${id === '' ? 'without module_id' : JSON.stringify(id)}; ${ids === '' ? 'no module exists yet' : `there are: ${ids}`}`;
}

function dependencyReason(plan: PlanDraft, id: string, action: ModuleAction): string | undefined {
  const unknown = (action.depends_on ?? []).filter((other) => !plan.known.has(other));
  if (unknown.length > 0)
    return `depends_on of ${id} names ${unknown.join(', ')}, which does not exist; there are: ${[...plan.known].join(', ')}`;
  return undefined;
}

function cycleReason(plan: PlanDraft, id: string): string | undefined {
  const cycle = findDependencyCycle(id, (other) => moduleOf(plan, other)?.depends_on ?? []);
  return cycle === undefined ? undefined : `depends_on would form a cycle: ${cycle.join(' → ')}`;
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

/** Parses the actions of a call whose arguments were checked against the tool's schema. */
export function moduleActionsOf(args: JsonObject): readonly ModuleAction[] {
  const { actions } = args;
  return Array.isArray(actions) ? (actions as readonly ModuleAction[]) : [];
}
