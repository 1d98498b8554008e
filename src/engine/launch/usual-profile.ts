import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';

/** The profiles that runs can be launched with. */
export function launchable(profiles: ReadonlyMap<string, CompiledProfile>): readonly CompiledProfile[] {
  return [...profiles.values()].filter((profile) => profile.type !== 'base' && profile.isActive && !profile.isDeleted);
}

/**
 * The profile to begin with when the caller names none: the team's own choice, else the first one of type partner, else the only
 * one there is.
 */
export function usualProfile({ profiles, team }: Pick<ProfileSet, 'profiles' | 'team'>): string | undefined {
  const usable = launchable(profiles);
  const [only] = usable;
  return (
    usable.find(({ name }) => name === team?.defaultProfile)?.name ??
    usable.find(({ type }) => type === 'partner')?.name ??
    (usable.length === 1 ? only?.name : undefined)
  );
}
