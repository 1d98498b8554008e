import type { Assignment, ModuleActor, ModuleArchive, WorkModule } from '../team/work-module.ts';
import type { JsonValue, Writable } from '../json.ts';

/** A value of state while a recipe may change it. */
export type DraftValue = JsonValue | undefined | DraftValue[] | DraftObject;

/** An object of state while a recipe may change it. */
export interface DraftObject {
  [key: string]: DraftValue;
}

/** A work module while a recipe may change it. `updated_at` is set when anything else of it changed. */
export interface DraftModule extends Omit<
  Writable<WorkModule>,
  'depends_on' | 'deliverables' | 'context_archive' | 'assignee_history' | 'review_info'
> {
  depends_on: string[];
  deliverables: DraftObject;
  context_archive: ModuleArchive[];
  assignee_history: Assignment[];
  review_info: DraftObject | null;
}

/**
 * State as code may change it: an observer, a tool's `update`, the team's own tools. What is written to it becomes one `state.patch`
 * when the recipe has returned, and is JSON by the rules of tool results. It cannot be used after that.
 */
export interface StateDraft {
  /** Of the agent at hand. */
  flags: DraftObject;
  values: DraftObject;
  deliverables: DraftObject;
  readonly team: {
    shared: DraftObject;
    /** By id. A new one gets the next id (`WM_<n>`) and may leave fields out; none is removed: its status becomes `deprecated`. */
    readonly work_modules: { [moduleId: string]: DraftModule };
  };
}

/** Changes a draft, at once. What it returns is ignored, but must be no promise and no state of its own. */
export type Recipe = (draft: StateDraft) => unknown;

/** Whose recipe it is, and what it may do to work modules. */
export interface RecipeOwner {
  /** For messages, like `observer 'count'`. */
  readonly owner: string;
  /** Whose moves of modules it may make. */
  readonly actor: ModuleActor;
  /** How many modules the run has created: the next one is `WM_<created + 1>`. */
  readonly created: number;
  readonly at: number;
}
