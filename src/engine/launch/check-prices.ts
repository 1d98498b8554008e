import { usesModel } from '../../core/profile/uses-model.ts';
import { CadreError } from '../../core/error.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import type { LimitOptions } from '../limit-options.ts';
import { launchable } from './usual-profile.ts';

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
export function checkPrices(
  parts: Pick<EngineParts, 'runtime' | 'limits' | 'replay'>,
  profile: CompiledProfile,
  asked: Asked,
): void {
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
