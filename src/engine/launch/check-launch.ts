import { checkNote } from '../../core/events/people-note.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { checkModel } from './check-model.ts';
import { checkPrices } from './check-prices.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { launchProfile } from './launch-profile.ts';
import { checkRequest } from './run-request.ts';

/** Returns the profile to start a run with. Fails when it, its model, the request's values or the notes are invalid. */
export function checkLaunch(parts: EngineParts, request: LaunchRequest, options: LaunchOptions): CompiledProfile {
  const { runtime, gateway } = parts;
  const profile = launchProfile(runtime.set, request.profile);
  checkModel(gateway, runtime, profile, options.llmConfig);
  checkPrices(parts, profile, options);
  if (options.request !== undefined) checkRequest(options.request);
  for (const note of options.notes ?? []) checkNote({}, note);
  options.signal?.throwIfAborted();
  return profile;
}
