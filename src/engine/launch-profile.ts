import { CadreError } from '../core/error.ts';
import type { CompiledProfile, ProfileSet } from '../core/profile.ts';

/** The profile a run is to start with. Fails when there is none of this name, or it is disabled. */
export function launchProfile(set: ProfileSet, name: string): CompiledProfile {
  const profile = set.profiles.get(name);
  if (profile === undefined)
    throw new CadreError(
      'PROFILE_UNKNOWN',
      `there is no profile '${name}'; there are: ${[...set.profiles.keys()].join(', ') || 'none'}`,
    );
  if (!profile.isActive || profile.isDeleted)
    throw new CadreError(
      'PROFILE_DISABLED',
      `profile '${profile.name}' is disabled (is_active or is_deleted in ${profile.source.file})`,
    );
  return profile;
}
