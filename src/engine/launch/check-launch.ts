import { checkNote } from '../../core/events/people-note.ts';
import { type CompiledProfile, type ProfileSet, usesModel } from '../../core/profile/profile.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { LaunchOptions, LaunchRequest } from '../launch-options.ts';
import { CadreError } from '../../core/error.ts';
import { launchable } from './usual-profile.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { LimitOptions } from '../limit-options.ts';
import { isCredentialName } from '../../core/expression/variables.ts';
import { isJsonObject, type JsonObject, isDeeperThan } from '../../core/json.ts';
import { forbiddenKeyPath } from '../../tools/schema/check-arguments.ts';
import { readJson } from '../../core/read-json.ts';

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

/** Longest request kept, in characters of JSON: the journal of each of its runs holds it. */
const mostChars = 64_000;
const deepest = 16;
const name = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/**
 * Checks the values of a request: named like variables, plain JSON, and without credentials, since they are recorded.
 *
 * @throws CadreError `OPTION_INVALID`, naming the fault and what to do
 */
export function checkRequest(value: unknown): JsonObject {
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype)
    throw requestRefusal('must be an object of names and values');
  for (const key of Object.keys(value))
    if (!name.test(key))
      throw requestRefusal(`has the name '${key.slice(0, 60)}'; a name is letters, digits and _, and begins with no digit`);
  if (isDeeperThan(value, deepest)) throw requestRefusal(`is nested deeper than ${deepest} levels`);
  const forbidden = forbiddenKeyPath(value);
  if (forbidden !== undefined) throw requestRefusal(`has the name '${forbidden.slice(1)}', which is not accepted`);
  const text = textOf(value);
  if (text === undefined) throw requestRefusal('holds something that is no JSON');
  if (text.length > mostChars)
    throw requestRefusal(`has ${text.length} characters of JSON, and may have ${mostChars}; put long texts into the input`);
  const credential = credentialIn(value);
  if (credential !== undefined)
    throw requestRefusal(
      `names '${credential}', a credential; it would be recorded. Hand it to tools in \`context\`, which is not`,
    );
  return readJson(text) as JsonObject;
}

function requestRefusal(what: string): CadreError {
  return new CadreError('OPTION_INVALID', `request ${what}`);
}

function textOf(value: JsonObject): string | undefined {
  try {
    const text = JSON.stringify(value);
    // A value that JSON leaves out or changes (functions, dates, NaN) would not equal the caller's.
    return isPlain(value) ? text : undefined;
  } catch {
    return undefined;
  }
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
    default:
      return false;
  }
}

function credentialIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.map(credentialIn).find((found) => found !== undefined);
  for (const [key, item] of Object.entries(value)) {
    const found = isCredentialName(key) ? key : credentialIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
