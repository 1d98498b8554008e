import { closestName } from '../../core/expression/closest-name.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { principalType } from './find-principal.ts';
import type { Profiles } from '../dispatch/staffing.ts';

const preferredName = 'Principal';

/** Returns the profile to launch: the named one, otherwise `Principal`, otherwise any of that type; or the reason there is none. */
export function principalProfile(name: string | undefined, profiles: Profiles): CompiledProfile | string {
  const usable = [...profiles.values()].filter(
    (profile) => profile.type === principalType && profile.isActive && !profile.isDeleted,
  );
  const names = usable.map((profile) => profile.name);
  const wanted = name ?? preferredName;
  const found = usable.find((profile) => profile.name === wanted) ?? (name === undefined ? usable[0] : undefined);
  if (found !== undefined) return found;
  if (names.length === 0) return `no active profile has type ${principalType}, so there is none to launch; add one to the profiles`;
  const guess = closestName(wanted, names);
  return `${JSON.stringify(wanted)} is no active profile of type ${principalType}${guess === undefined ? '' : `; did you mean ${guess}?`} There are: ${names.join(', ')}.`;
}
