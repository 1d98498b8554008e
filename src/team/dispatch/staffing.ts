import { closestName } from '../../core/expression/closest-name.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/** Profiles of a run by name, as transition tools see them. */
export type Profiles = ReadonlyMap<string, CompiledProfile>;

/** Returns the team the user agreed to; undefined when every staffable profile is allowed. */
export function chosenTeam(run: RunContext): readonly string[] | undefined {
  const list = run.team.shared['profiles_list'];
  if (!Array.isArray(list)) return undefined;
  const names = list.filter((name): name is string => typeof name === 'string');
  return names.length === 0 ? undefined : names;
}

/** Returns the names of staffable profiles, restricted to the chosen team if there is one. */
function staffableNames(profiles: Profiles, team: readonly string[] | undefined): readonly string[] {
  return [...profiles.values()]
    .filter((profile) => isStaffable(profile) && (team?.includes(profile.name) ?? true))
    .map((profile) => profile.name);
}

/** Returns the reason a profile cannot be given work, with a list of those that can; undefined when it can. */
export function staffingProblem(name: string, profiles: Profiles, team: readonly string[] | undefined): string | undefined {
  const why = staffingFault(name, profiles.get(name), team);
  if (why === undefined) return undefined;
  const names = staffableNames(profiles, team);
  const guess = closestName(name, names);
  const meant = guess === undefined ? '' : `; did you mean ${guess}?`;
  return `${why}${meant} Profiles that may be staffed: ${names.length === 0 ? 'none' : names.join(', ')}.`;
}

function staffingFault(
  name: string,
  profile: CompiledProfile | undefined,
  team: readonly string[] | undefined,
): string | undefined {
  if (profile === undefined || profile.isDeleted) return `there is no profile ${JSON.stringify(name)}`;
  if (!profile.isActive) return `profile ${name} is not active`;
  if (profile.type === 'base') return `profile ${name} is of type base: other profiles inherit from it, and it does no work`;
  if (!profile.availableForStaffing) return `profile ${name} is not available for staffing`;
  if (team !== undefined && !team.includes(name)) return `profile ${name} is not in the team chosen for this run`;
  return undefined;
}

/** True when a profile may be given work. */
export function isStaffable(profile: CompiledProfile): boolean {
  return profile.isActive && !profile.isDeleted && profile.type !== 'base' && profile.availableForStaffing;
}
