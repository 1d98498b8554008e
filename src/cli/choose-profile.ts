import { CadreError } from '../core/error.ts';
import { closestName } from '../core/expression/closest-name.ts';
import type { CompiledProfile } from '../core/profile.ts';

const usualName = 'Partner';

/**
 * The profile to begin with: the named one, else `Partner`, else the first one of type partner, else the only one there
 * is. Fails with PROFILE_UNKNOWN, naming what there is.
 */
export function chooseProfile(profiles: ReadonlyMap<string, CompiledProfile>, named: string | undefined): string {
  const usable = [...profiles.values()].filter((profile) => profile.type !== 'base' && profile.isActive && !profile.isDeleted);
  const names = usable.map((profile) => profile.name);
  if (named !== undefined) {
    if (profiles.has(named)) return named;
    const guess = closestName(named, names);
    throw new CadreError(
      'PROFILE_UNKNOWN',
      `there is no profile '${named}'; ${guess === undefined ? '' : `did you mean '${guess}'? `}there are: ${names.join(', ') || 'none'}`,
    );
  }
  const found =
    names.find((name) => name === usualName) ??
    usable.find((profile) => profile.type === 'partner')?.name ??
    (names.length === 1 ? names[0] : undefined);
  if (found !== undefined) return found;
  throw new CadreError(
    'PROFILE_UNKNOWN',
    `no profile is of type partner, so say which one to begin with: --profile NAME; there are: ${names.join(', ') || 'none'}`,
  );
}
