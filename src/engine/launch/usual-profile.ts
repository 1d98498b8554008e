import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';

/** Returns the profiles that runs can be launched with. */
export function launchable(profiles: ReadonlyMap<string, CompiledProfile>): readonly CompiledProfile[] {
  return [...profiles.values()].filter((profile) => profile.type !== 'base' && profile.isActive && !profile.isDeleted);
}

/** Returns the default profile of a launch: the team's choice, else the first one of type partner, else the only one. */
export function usualProfile({ profiles, team }: Pick<ProfileSet, 'profiles' | 'team'>): string | undefined {
  const usable = launchable(profiles);
  const [only] = usable;
  return (
    usable.find(({ name }) => name === team?.defaultProfile)?.name ??
    usable.find(({ type }) => type === 'partner')?.name ??
    (usable.length === 1 ? only?.name : undefined)
  );
}
