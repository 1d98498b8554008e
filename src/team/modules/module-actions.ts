import type { EventDraft } from '../../core/events/event.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ChangedModules } from '../../core/team/module-changes.ts';
import { allowedMoves, canMove, emptyModule, type ModuleStatus, type WorkModule } from '../../core/team/work-module.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
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

/** Context in which actions are applied. */
export interface PlanPlace {
  /** Work modules that the actions change. */
  readonly modules: Readonly<Record<string, WorkModule>>;
  /** Number of modules created in the run; the next one is `WM_<created + 1>`. */
  readonly created: number;
  readonly at: number;
  /** Returns the events of changed work modules. */
  readonly change: (modules: ChangedModules) => readonly EventDraft[];
}

/** Returns the place of actions that a planning tool applies. */
export function planPlace({ run, at, changeModules }: TransitionContext): PlanPlace {
  return { modules: run.team.workModules, created: run.counters.modules, at, change: (modules) => changeModules(modules) };
}

/** The work modules while actions change them. */
class PlanEdit {
  readonly at: number;
  readonly touched = new Set<string>();
  readonly #modules: PlanPlace['modules'];
  /** Existing modules that an action looked at, as they are now: changes are recorded in the order of these looks. */
  readonly #seen = new Map<string, WorkModule>();
  readonly #created = new Map<string, WorkModule>();
  readonly #newIds: ReadonlySet<string>;

  constructor(modules: PlanPlace['modules'], newIds: readonly string[], at: number) {
    this.#modules = modules;
    this.#newIds = new Set(newIds);
    this.at = at;
  }

  /** Returns a module as the actions so far left it; undefined when there is none. */
  module(id: string): WorkModule | undefined {
    const known = this.#created.get(id) ?? this.#seen.get(id);
    if (known !== undefined || !Object.hasOwn(this.#modules, id)) return known;
    const module = this.#modules[id];
    if (module !== undefined) this.#seen.set(id, module);
    return module;
  }

  /** Adds a module, or replaces it. */
  put(id: string, module: WorkModule): void {
    (this.#seen.has(id) ? this.#seen : this.#created).set(id, module);
    this.touched.add(id);
  }

  /** True for modules that exist now or are created later in the same call. */
  isKnown(id: string): boolean {
    return this.#newIds.has(id) || Object.hasOwn(this.#modules, id);
  }

  /** Ids for which `isKnown` holds. */
  get knownIds(): readonly string[] {
    return [...new Set([...Object.keys(this.#modules), ...this.#newIds])];
  }

  /** Ids of the modules so far. */
  get ids(): readonly string[] {
    return [...Object.keys(this.#modules), ...this.#created.keys()];
  }

  get changed(): ChangedModules {
    const changed = [...this.#seen].filter(([id, module]) => module !== this.#modules[id]);
    return new Map([...changed, ...this.#created]);
  }
}

/** Applies a planner's actions to the plan, in order, all or none. */
export function applyModuleActions(actions: readonly ModuleAction[], place: PlanPlace): ModuleActionsResult {
  let next = place.created;
  const newIds = actions.flatMap(({ action }) => (action === 'create' ? [moduleIdAt(next++)] : []));
  const plan = new PlanEdit(place.modules, newIds, place.at);
  next = place.created;
  for (const [index, action] of actions.entries()) {
    const id = action.action === 'create' ? moduleIdAt(next++) : (action.module_id ?? '');
    const reason = applyAction(plan, id, action) ?? cycleReason(plan, id);
    if (reason !== undefined) return { ok: false, index, reason };
  }
  const touched = [...plan.touched].flatMap((id) => toTouched(plan.module(id)) ?? []);
  return { ok: true, events: place.change(plan.changed), touched };
}

function toTouched(module: WorkModule | undefined): TouchedModule | undefined {
  if (module === undefined) return undefined;
  const { module_id, name, status, depends_on } = module;
  return { module_id, name, status, depends_on };
}

function moduleIdAt(created: number): string {
  return `WM_${created + 1}`;
}

/** Applies an action to the plan, or returns the reason it cannot. */
function applyAction(plan: PlanEdit, id: string, action: ModuleAction): string | undefined {
  switch (action.action) {
    case 'create':
      return createModule(plan, id, action);
    case 'update':
      return updateModule(plan, id, action);
    case 'status_change':
      return moveModule(plan, id, action);
  }
}

function createModule(plan: PlanEdit, id: string, action: ModuleAction): string | undefined {
  if (isBlank(action.name) || isBlank(action.description)) return 'a new module needs a name and a description';
  if (action.module_id !== undefined && action.module_id !== id) {
    return `ids are given, not chosen: this module becomes ${id}; leave module_id out, or use update for an existing module`;
  }
  const reason = dependencyReason(plan, id, action);
  if (reason !== undefined) return reason;
  const { name = '', description = '', notes_from_principal = '', depends_on = [], executor } = action;
  const module = { ...emptyModule(id, plan.at), name, description, notes_from_principal, depends_on };
  plan.put(id, executor === undefined ? module : { ...module, executor });
  return undefined;
}

function updateModule(plan: PlanEdit, id: string, action: ModuleAction): string | undefined {
  const patch = editableFields(action);
  if (Object.keys(patch).length === 0) return 'nothing to change: give name, description, notes_from_principal or depends_on';
  if (action.new_status !== undefined) return 'an update does not change the status: use a status_change action';
  if (action.name !== undefined && isBlank(action.name)) return 'a module needs a name';
  return unknownModule(plan, id) ?? dependencyReason(plan, id, action) ?? change(plan, id, patch);
}

function moveModule(plan: PlanEdit, id: string, action: ModuleAction): string | undefined {
  const module = plan.module(id);
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

function editableFields(action: ModuleAction): Partial<WorkModule> {
  return {
    ...(action.name === undefined ? {} : { name: action.name }),
    ...(action.description === undefined ? {} : { description: action.description }),
    ...(action.notes_from_principal === undefined ? {} : { notes_from_principal: action.notes_from_principal }),
    ...(action.depends_on === undefined ? {} : { depends_on: action.depends_on }),
  };
}

function change(plan: PlanEdit, id: string, fields: Partial<WorkModule>): undefined {
  const module = plan.module(id);
  if (module !== undefined) plan.put(id, { ...module, ...fields });
  return undefined;
}

function unknownModule(plan: PlanEdit, id: string): string | undefined {
  if (plan.module(id) !== undefined) return undefined;
  const ids = plan.ids.join(', ');
  return `there is no module ${id === '' ? 'without module_id' : JSON.stringify(id)}; ${ids === '' ? 'no module exists yet' : `there are: ${ids}`}`;
}

function dependencyReason(plan: PlanEdit, id: string, action: ModuleAction): string | undefined {
  const unknown = (action.depends_on ?? []).filter((other) => !plan.isKnown(other));
  if (unknown.length > 0)
    return `depends_on of ${id} names ${unknown.join(', ')}, which does not exist; there are: ${plan.knownIds.join(', ')}`;
  return undefined;
}

function cycleReason(plan: PlanEdit, id: string): string | undefined {
  const cycle = findDependencyCycle(id, (other) => plan.module(other)?.depends_on ?? []);
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
