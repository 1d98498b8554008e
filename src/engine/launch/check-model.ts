import { usesModel } from '../../core/profile/uses-model.ts';
import { CadreError } from '../../core/error.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';

/** Fails when the model of a profile cannot be called; `override` names the LLM config of the run, if it has one. */
export function checkModel(
  gateway: EngineParts['gateway'],
  runtime: ProfileRuntime,
  profile: CompiledProfile,
  override: string | undefined,
): void {
  if (!usesModel(profile) && (override === undefined || profile.planner !== undefined)) return;
  const check = gateway.resolves(runtime.llmConfigOf(profile, override));
  if (!check.ok) throw new CadreError(check.error.code, check.error.message);
}
