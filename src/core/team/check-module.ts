import { isJsonObject, type JsonValue } from '../json.ts';
import { emptyModule, moduleTransitions, type WorkModule, type ModuleActor, reachableStatuses } from './work-module.ts';
import { findDependencyCycle } from './find-dependency-cycle.ts';

const model = Object.entries(emptyModule('', 0));

/** True when a value has every required field of a work module with this id: a journal may have been forged. */
export function isWorkModule(id: string, value: unknown): value is WorkModule {
  if (!isJsonObject(value) || value['module_id'] !== id || !Object.hasOwn(moduleTransitions, String(value['status']))) return false;
  const isLike = (key: string, like: unknown): boolean =>
    kind(value[key]) === kind(like) || (like === null && isJsonObject(value[key]));
  const entries = (key: string): readonly JsonValue[] => value[key] as readonly JsonValue[];
  return (
    model.every(([key, like]) => isLike(key, like)) &&
    [...entries('context_archive'), ...entries('assignee_history')].every(isJsonObject) &&
    [...entries('depends_on'), value['executor'] ?? ''].every((entry) => kind(entry) === 'string')
  );
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

/**
 * Returns the reason for rejecting a recipe's change of a work module; undefined when it is allowed.
 *
 * @param moduleOf any module of the team after the change, by id
 */
export function moduleProblem(
  id: string,
  before: WorkModule | undefined,
  after: unknown,
  { actor, moduleOf }: { readonly actor: ModuleActor; readonly moduleOf: (id: string) => WorkModule | undefined },
): string | undefined {
  if (!isWorkModule(id, after)) return `${id} would have a field of a wrong type, another id, or a status that does not exist`;
  const { status, depends_on } = after;
  const moves = reachableStatuses(before?.status ?? 'pending', actor);
  if (!moves.includes(status)) return `${id} cannot be ${status} now; allowed: ${moves.join(', ')}`;
  const unknown = depends_on.find((other) => moduleOf(other) === undefined);
  if (unknown !== undefined) return `${id} would depend on ${JSON.stringify(unknown)}, which does not exist`;
  const cycle =
    depends_on === before?.depends_on ? undefined : findDependencyCycle(id, (other) => moduleOf(other)?.depends_on ?? []);
  return cycle === undefined ? undefined : `depends_on would form a cycle: ${cycle.join(' → ')}`;
}
