import { isJsonObject, type JsonValue } from '../json.ts';
import { moduleTransitions, type WorkModule, type ModuleActor, reachableStatuses } from './work-module.ts';
import { findDependencyCycle } from './find-dependency-cycle.ts';

/** True when a value has every required field of a work module with this id: a journal may have been forged. */
export function isWorkModule(id: string, value: unknown): value is WorkModule {
  if (!isJsonObject(value)) return false;
  const { review_info: review } = value;
  return (
    value['module_id'] === id &&
    typeof value['status'] === 'string' &&
    Object.hasOwn(moduleTransitions, value['status']) &&
    typeof value['name'] === 'string' &&
    typeof value['description'] === 'string' &&
    typeof value['notes_from_principal'] === 'string' &&
    typeof value['created_at'] === 'number' &&
    typeof value['updated_at'] === 'number' &&
    (review === null || isJsonObject(review)) &&
    isJsonObject(value['deliverables']) &&
    isListOf(value['context_archive'], isJsonObject) &&
    isListOf(value['assignee_history'], isJsonObject) &&
    isListOf(value['depends_on'], isText) &&
    isText(value['executor'] ?? '')
  );
}

function isListOf(value: JsonValue | undefined, is: (entry: JsonValue) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (const entry of value as readonly JsonValue[]) if (!is(entry)) return false;
  return true;
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
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
