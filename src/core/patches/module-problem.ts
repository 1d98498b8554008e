import { isWorkModule } from '../team/check-module.ts';
import { findDependencyCycle } from '../team/find-dependency-cycle.ts';
import { type ModuleActor, reachableStatuses, type WorkModule } from '../team/work-module.ts';

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
