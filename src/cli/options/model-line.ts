import { type CompiledProfile, type ProfileSet, usesModel } from '../../core/profile/profile.ts';
import { createLlmConfigs } from '../../engine/launch/llm-configs.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import { safe } from '../../inspect/format/text/layout.ts';

/** Resolves a config to the one that is used after fallbacks; undefined when none is usable. */
export type ResolveConfig = (config: LlmConfig) => LlmConfig | undefined;

/**
 * Returns one line that names the models of a profile set and says which replies are scripted. `override` is the config used instead of
 * every profile's own.
 */
export function modelLine(set: ProfileSet, override: string | undefined, resolve: ResolveConfig): string {
  const configs = new Map<string, LlmConfig>();
  const unusable = new Set<string>();
  for (const profile of set.profiles.values()) {
    if (!callsModel(profile)) continue;
    const name = override ?? profile.llmConfigRef;
    const used = configOf(set, name, resolve);
    if (used === undefined) unusable.add(safe(name, 60));
    else configs.set(used.name, used);
  }
  const names = [...configs.values()].map(configText);
  const scripted = [...configs.values()].filter((config) => config.provider === 'scripted');
  if (names.length === 0) {
    const needed = [...set.profiles.values()].some(callsModel);
    return needed ? 'Model: none can be called with the current LLM configs.' : 'Model: none; the profiles are functions.';
  }
  const subject = scripted.length === configs.size ? 'no model is called: the replies' : 'its replies';
  const scriptedNote =
    scripted.length === 0 ? '' : `; ${subject} are scripted from tool results; the tools really search, read and write`;
  // Otherwise an agent started later would be the first to fail.
  const warning = unusable.size === 0 ? '' : ` Cannot be called now: ${[...unusable].join(', ')}.`;
  return `Model: ${names.join(', ')}${scriptedNote}.${warning}`;
}

function configOf(set: ProfileSet, name: string, resolve: ResolveConfig): LlmConfig | undefined {
  const config = createLlmConfigs(set.llmConfigs).find(name);
  return config === undefined ? undefined : resolve(config);
}

function configText(config: LlmConfig): string {
  const model = [config.provider, config.model].filter((part) => part !== '').join('/');
  return `${safe(model, 100)} (LLM config ${safe(config.name, 60)})`;
}

/** True when runs may call a model for a profile. */
export function callsModel(profile: CompiledProfile): boolean {
  return profile.type !== 'base' && profile.isActive && !profile.isDeleted && usesModel(profile);
}
