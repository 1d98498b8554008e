import type { Assignment, ModuleActor, ModuleArchive, WorkModule } from '../team/work-module.ts';
import type { JsonValue, Writable } from '../json.ts';

/** A value of state while a recipe may change it. */
export type DraftValue = JsonValue | undefined | DraftValue[] | DraftObject;

/** An object of state while a recipe may change it. */
export interface DraftObject {
  [key: string]: DraftValue;
}

/** A work module while a recipe may change it. `updated_at` is set when any other field changed. */
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
 * Writable state for code: an observer, a tool's `update`, the team's own tools. The changes become one `state.patch` when the
 * recipe returns, as JSON by the rules of tool results. Unusable after that.
 */
export interface StateDraft {
  /** State of the current agent. */
  flags: DraftObject;
  values: DraftObject;
  deliverables: DraftObject;
  readonly team: {
    shared: DraftObject;
    /** By id. A new one gets the next id (`WM_<n>`) and may omit fields; instead of removing one, set its status to `deprecated`. */
    readonly work_modules: { [moduleId: string]: DraftModule };
  };
}

/** Changes a draft, synchronously. The return value is ignored, but must not be a promise or a part of the draft. */
export type Recipe = (draft: StateDraft) => unknown;

/** Owner of a recipe, and its permissions for work modules. */
export interface RecipeOwner {
  /** For messages, like `observer 'count'`. */
  readonly owner: string;
  /** The actor whose moves of modules it may make. */
  readonly actor: ModuleActor;
  /** Number of modules that the run has created: the next one is `WM_<created + 1>`. */
  readonly created: number;
  readonly at: number;
  /** Called with the place of each value that the recipe reads, such as `team.shared.page`; with `team.shared.` for the names of all. */
  readonly onRead?: ((place: string) => void) | undefined;
}
