import { checkNote } from '../../core/events/people-note.ts';
import { type CompiledProfile, type ProfileSet, usesModel } from '../../core/profile/profile.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { checkRequest } from './run-request.ts';
import { CadreError } from '../../core/error.ts';
import { launchable } from './usual-profile.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { LimitOptions } from '../limit-options.ts';

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

/** Options of a launch that concern cost. */
interface Asked {
  readonly limits?: LimitOptions;
  readonly llmConfig?: string;
}

/**
 * Refuses a launch whose cost limit could not be enforced: a model it may call has no price. The engine's default limit does not count, and
 * scripted models and replays cost nothing. `onUnknownCost: 'warn'` lets it through, and the run notes COST_UNKNOWN.
 *
 * @throws CadreError `MODEL_UNPRICED`, naming the limit, the profile, its LLM config and the model
 */
function checkPrices(parts: Pick<EngineParts, 'runtime' | 'limits' | 'replay'>, profile: CompiledProfile, asked: Asked): void {
  const { runtime, limits, replay } = parts;
  if (replay !== undefined) return;
  const policy = asked.limits?.onUnknownCost ?? limits.onUnknownCost;
  const ofRun = moneyOf(asked.limits) ?? moneyOf(limits);
  for (const each of new Set([profile, ...launchable(runtime.set.profiles)])) {
    const money = ofRun ?? each.limits.maxCostUsd ?? each.limits.perModule?.maxCostUsd;
    if (money === undefined || (policy ?? each.limits.onUnknownCost ?? profile.limits.onUnknownCost) === 'warn') continue;
    const unpriced = usesModel(each) ? unpricedOf(runtime, each, asked.llmConfig) : undefined;
    if (unpriced !== undefined) throw refusal(ofRun === undefined ? `agents of ${each.name}` : 'the run', money, each, unpriced);
  }
}

function moneyOf(limits: LimitOptions | undefined): number | undefined {
  return limits?.costUsd ?? limits?.maxCostUsd;
}

/**
 * Returns the config of a profile, or one of its fallbacks, whose model has no price. Configs that cannot be called are reported elsewhere.
 */
function unpricedOf(runtime: ProfileRuntime, profile: CompiledProfile, override: string | undefined): LlmConfig | undefined {
  try {
    const config = runtime.llmConfigOf(profile, override);
    const fallbacks = config.fallbacks.flatMap((name) => runtime.findLlmConfig(name) ?? []);
    return [config, ...fallbacks].find((each) => runtime.isUnpriced(each));
  } catch {
    return undefined;
  }
}

function refusal(whose: string, money: number, profile: CompiledProfile, { name, provider, model }: LlmConfig): CadreError {
  const full = provider === '' ? model : `${provider}/${model}`;
  return new CadreError(
    'MODEL_UNPRICED',
    `${whose} may cost $${money}, and what profile '${profile.name}' costs is not known: there is no price for ${full || 'its model'} ` +
      `(LLM config '${name}'). Give the config a \`price\` (US dollars per million tokens: input, output), put a price file into the ` +
      'team, or let it run with a warning: on_unknown_cost: warn under `limits`, or the limit onUnknownCost=warn',
    { details: { profile: profile.name, llmConfig: name, model: full } },
  );
}

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
