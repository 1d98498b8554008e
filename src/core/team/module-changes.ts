import type { JsonObject } from '../json.ts';
import { StateDiff } from '../patches/diff-state.ts';
import type { Changes } from '../patches/patch.ts';
import type { RecipeOwner } from '../patches/state-draft.ts';
import { moduleProblem } from './check-module.ts';
import type { WorkModule } from './work-module.ts';

type Modules = Readonly<Record<string, WorkModule>>;

/** Changed work modules by id, each as a whole. Unchanged parts may be those of the state. */
export type ChangedModules = ReadonlyMap<string, WorkModule>;

/**
 * Returns the changes from the known work modules to others; a changed module gets a new `updated_at`.
 *
 * @throws Error when a module is invalid or has an id that is not the next one
 */
export function moduleChanges(known: Modules, changed: ChangedModules, owner: Omit<RecipeOwner, 'owner'>): Changes {
  const diff = new StateDiff();
  compareModules(diff, known, changed, owner);
  return { patches: diff.patches, inverse: diff.inverse };
}

/** Adds the changed modules to a diff, like `moduleChanges`; of unknown type, since a recipe may assign anything. */
export function compareModules(
  diff: StateDiff,
  known: Modules,
  changed: ReadonlyMap<string, unknown>,
  { actor, created, at }: Omit<RecipeOwner, 'owner'>,
): void {
  let next = created;
  for (const id of changed.keys()) if (knownModule(known, id) === undefined) next += 1;
  const moduleOf = (id: string): WorkModule | undefined => (changed.get(id) as WorkModule | undefined) ?? knownModule(known, id);
  for (const id of changed.keys()) {
    if (knownModule(known, id) !== undefined || isNextId(id, created, next)) continue;
    throw new Error(`a new work module cannot be ${JSON.stringify(id)}; the next id is WM_${created + 1}`);
  }
  for (const [id, after] of changed) {
    const before = knownModule(known, id);
    const problem = moduleProblem(id, before, after, { actor, moduleOf });
    if (problem !== undefined) throw new Error(problem);
    const path = ['team', 'work_modules', id];
    // A work module is JSON, which the compiler does not see in an interface: it has no index signature.
    const isChanged = diff.compare(path, before as unknown as JsonObject | undefined, after);
    if (isChanged && before !== undefined && before.updated_at === (after as WorkModule).updated_at)
      diff.compare([...path, 'updated_at'], before.updated_at, at);
  }
}

function knownModule(known: Modules, id: string): WorkModule | undefined {
  return Object.hasOwn(known, id) ? known[id] : undefined;
}

/** True for the ids after the `created`-th, up to the `last`-th. */
function isNextId(id: string, created: number, last: number): boolean {
  const count = Number(id.slice('WM_'.length));
  return id === `WM_${count}` && count > created && count <= last;
}
