import { checkNote } from '../../core/events/people-note.ts';
import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';
import { checkModel } from './check-model.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { checkRequest } from './run-request.ts';
import { CadreError } from '../../core/error.ts';
import { launchable } from './usual-profile.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import { checkPrices } from './check-prices.ts';

/** Profile to start a run with, and its options with those of the team. */
export interface CheckedLaunch {
  readonly profile: CompiledProfile;
  readonly options: LaunchOptions;
}

/** Checks a launch. Fails when its profile, its model, the request's values or the notes are invalid. */
export function checkLaunch(parts: EngineParts, request: LaunchRequest, given: LaunchOptions): CheckedLaunch {
  const { runtime, gateway } = parts;
  const { llmConfig = runtime.set.team?.llmConfig } = given;
  const options = llmConfig === undefined ? given : { ...given, llmConfig };
  const profile = launchProfile(runtime.set, request.profile);
  checkModel(gateway, runtime, profile, options.llmConfig);
  checkPrices(parts, profile, options);
  if (options.request !== undefined) checkRequest(options.request);
  for (const note of options.notes ?? []) checkNote({}, note);
  options.signal?.throwIfAborted();
  return { profile, options };
}

/**
 * Returns the profile to start a run with.
 *
 * @throws CadreError `PROFILE_UNKNOWN` when there is none of this name, `PROFILE_DISABLED` when it is disabled or of type base, which other
 * profiles only inherit from; both name the profiles that runs can start with
 */
function launchProfile(set: ProfileSet, name: string): CompiledProfile {
  const profile = set.profiles.get(name);
  const names = launchable(set.profiles).map((each) => each.name);
  const there = `there are: ${names.join(', ') || 'none'}`;
  if (profile === undefined) {
    // Untyped programs may pass any value.
    const guess = typeof name === 'string' ? closestName(name, names) : undefined;
    const hint = guess === undefined ? '' : `did you mean '${guess}'? `;
    throw new CadreError('PROFILE_UNKNOWN', `there is no profile '${name}'; ${hint}${there}`);
  }
  if (!profile.isActive || profile.isDeleted)
    throw new CadreError(
      'PROFILE_DISABLED',
      `profile '${profile.name}' is disabled (is_active or is_deleted in ${profile.source.file})`,
    );
  if (profile.type === 'base')
    throw new CadreError(
      'PROFILE_DISABLED',
      `profile '${profile.name}' is of type base (${profile.source.file}): other profiles inherit from it, and no run starts with it; ${there}`,
    );
  return profile;
}
