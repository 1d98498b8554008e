import { CadreError } from '../core/error.ts';
import { defaultDeadlines, defaultRetry, type LlmConfig } from '../core/llm-config.ts';
import type { CompiledProfile } from '../core/profile.ts';

/** Finds the LLM config a profile runs on. */
export interface LlmConfigs {
  /** The config of a name, or its stand-in when something it requires is not set. UNCONFIGURED when there is no stand-in. */
  resolve(name: string): LlmConfig;
  /** The config of a profile; `override` wins over the profile's own. */
  of(profile: CompiledProfile, override: string | undefined): LlmConfig;
  find(name: string): LlmConfig | undefined;
  names(): readonly string[];
}

/** Looks configs up among the loaded ones and the model objects handed to the engine, each of which counts as a config. */
export function createLlmConfigs(loaded: ReadonlyMap<string, LlmConfig>, models: readonly string[]): LlmConfigs {
  const all = new Map(loaded);
  for (const name of models) if (!all.has(name)) all.set(name, configOfModel(name));
  const names = (): readonly string[] => [...all.keys()];
  const resolve = (name: string, tried: readonly string[] = []): LlmConfig => {
    const config = all.get(name);
    if (config === undefined)
      throw new CadreError('MODEL_UNKNOWN', `there is no LLM config '${name}'; there are: ${names().join(', ') || 'none'}`);
    // A config that has all it requires is the one that was chosen: what its provider still lacks is an error, not a reason
    // to quietly use another.
    if (config.missing.length === 0) return chosen(config);
    if (config.whenUnconfigured !== undefined && !tried.includes(config.whenUnconfigured))
      return resolve(config.whenUnconfigured, [...tried, name]);
    throw new CadreError(
      'MODEL_UNCONFIGURED',
      `LLM config '${name}' needs ${config.missing.join(', ')}: set it in the environment, or choose another config`,
      { details: { missing: config.missing } },
    );
  };
  return {
    resolve,
    of: (profile, override) => resolve(override ?? profile.llmConfigRef),
    find: (name) => all.get(name),
    names,
  };
}

/** The same object for the same config, always: others remember what they made of a config by its identity. */
const withoutStandIn = new WeakMap<LlmConfig, LlmConfig>();

function chosen(config: LlmConfig): LlmConfig {
  if (config.whenUnconfigured === undefined) return config;
  const known = withoutStandIn.get(config);
  if (known !== undefined) return known;
  const { whenUnconfigured: _standIn, ...rest } = config;
  withoutStandIn.set(config, rest);
  return rest;
}

function configOfModel(name: string): LlmConfig {
  return { name, provider: '', model: name, retry: defaultRetry, deadlines: defaultDeadlines, fallbacks: [], missing: [] };
}
