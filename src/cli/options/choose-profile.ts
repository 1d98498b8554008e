import { CadreError } from '../../core/error.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { launchable, usualProfile } from '../../engine/launch/usual-profile.ts';

/**
 * Chooses the root agent's profile: the named one, else the team's default, else `Partner`, else the first of type partner, else the only
 * one. Fails with PROFILE_UNKNOWN, listing the profiles.
 */
export function chooseProfile(set: Pick<ProfileSet, 'profiles' | 'team'>, named: string | undefined): string {
  const { profiles } = set;
  const names = launchable(profiles).map((profile) => profile.name);
  if (named !== undefined) {
    if (profiles.has(named)) return named;
    const guess = closestName(named, names);
    throw new CadreError(
      'PROFILE_UNKNOWN',
      `there is no profile '${named}'; ${guess === undefined ? '' : `did you mean '${guess}'? `}there are: ${names.join(', ') || 'none'}`,
    );
  }
  const found = usualProfile(set);
  if (found !== undefined) return found;
  throw new CadreError(
    'PROFILE_UNKNOWN',
    `no profile is of type partner; name the root agent's profile with --profile NAME; there are: ${names.join(', ') || 'none'}`,
  );
}
