import { CadreError } from '../../core/error.ts';
import { defaultDeadlines, defaultRetry, type LlmConfig } from '../../core/model/llm-config.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import { isModelName, providerNames, splitModelName } from '../../core/model/model-provider.ts';
import { findPrice, type ModelPrices } from '../../core/model/model-price.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import { type GivenModels, type ModelIdentity, nameOfGiven } from '../../models/providers/given-models.ts';

/** Finds the LLM config that a profile uses. */
export interface LlmConfigs {
  /**
   * Returns the config of a name, or its stand-in when a required setting is missing. Fails with MODEL_UNCONFIGURED when there is no
   * stand-in, and with MODEL_UNKNOWN for an unknown name.
   */
  resolve(name: string): LlmConfig;
  /** Returns the config of a profile; `override` wins over the profile's own. */
  of(profile: CompiledProfile, override: string | undefined): LlmConfig;
  find(name: string): LlmConfig | undefined;
  /** True when a config, compared by identity, is one of these. */
  has(config: LlmConfig): boolean;
  names(): readonly string[];
  /** True when calls of a config cost money and no price is known. */
  isUnpriced(config: LlmConfig): boolean;
}

/** Models, prices and recorded names that are consulted besides the loaded configs. */
export interface LlmConfigSources {
  readonly models?: GivenModels;
  /** Prices for configs without one. */
  readonly prices?: ModelPrices;
  /** Names of the configs in a recording. */
  readonly recorded?: ReadonlySet<string> | undefined;
}

/**
 * Looks configs up among the loaded ones and the model objects given to the engine, each of which counts as a config. Any other name may be
 * a model of a known provider, as `provider/model`.
 */
export function createLlmConfigs(loaded: ReadonlyMap<string, LlmConfig>, sources: LlmConfigSources = {}): LlmConfigs {
  const { models = new Map(), prices = new Map(), recorded } = sources;
  const priced = pricing(prices, models);
  const all = new Map([...loaded].map(([name, config]) => [name, priced(config)]));
  // A model object wins over an alias of its name, as it wins over a config.
  for (const name of models.keys()) if (all.get(name)?.name !== name) all.set(name, priced(configOfModel(name)));
  const named = new Map<string, LlmConfig>();
  const names = (): readonly string[] => [...all.keys()];
  const find = (name: string): LlmConfig | undefined => {
    const known = all.get(name) ?? named.get(name);
    if (known !== undefined || !isModelName(name)) return known;
    const made = priced(configOfModel(name));
    named.set(name, made);
    return made;
  };
  const resolve = (name: string, tried: readonly string[] = []): LlmConfig => {
    const config = find(name);
    if (config === undefined) throw unknownConfig(name, names());
    if (recorded !== undefined) return ofRecording(config, recorded, find);
    // A config with all required settings was chosen deliberately: if its provider lacks something, that is an error, not a reason to use
    // another.
    if (config.missing.length === 0) return chosen(config);
    if (config.whenUnconfigured !== undefined && !tried.includes(config.whenUnconfigured))
      return resolve(config.whenUnconfigured, [...tried, name]);
    throw new CadreError(
      'MODEL_UNCONFIGURED',
      `LLM config '${name}' needs ${config.missing.join(', ')}: set it in the environment, or choose another config`,
      { details: { missing: config.missing } },
    );
  };
  const resolved = new Map<string, LlmConfig>();
  return {
    resolve,
    of: (profile, override) => {
      const name = override ?? profile.llmConfigRef;
      let config = resolved.get(name);
      if (config === undefined) {
        config = resolve(name);
        resolved.set(name, config);
      }
      return config;
    },
    find,
    has: (config) => [...all.values(), ...named.values()].some((each) => each === config || withoutStandIn.get(each) === config),
    names,
    isUnpriced: (config) => config.price === undefined && !free.has(answering(models, config)?.provider ?? ''),
  };
}

/** Providers that answer from a file, at no cost. */
const free: ReadonlySet<string> = new Set(['scripted', 'replay']);

/** Returns the model that answers for a config: the given object, else the named model; undefined when the object does not say. */
function answering(models: GivenModels, config: LlmConfig): ModelIdentity | LlmConfig | undefined {
  const given = nameOfGiven(models, config);
  return given === undefined ? config : models.get(given);
}

/** Gives configs the price of their model: of the given object, else of the named model. Equal input yields the same object. */
function pricing(prices: ModelPrices, models: GivenModels): (config: LlmConfig) => LlmConfig {
  const made = new Map<LlmConfig, LlmConfig>();
  return (config) => {
    const known = made.get(config);
    if (known !== undefined) return known;
    const model = answering(models, config);
    const price = config.price ?? (model === undefined ? undefined : findPrice(prices, model));
    const priced = price === config.price ? config : { ...config, ...(price !== undefined && { price }) };
    made.set(config, priced);
    return priced;
  };
}

/** Returns the config that a recorded run used for this one: itself, or the stand-in that answered. It needs no settings. */
function ofRecording(config: LlmConfig, recorded: ReadonlySet<string>, find: LlmConfigs['find']): LlmConfig {
  const tried = new Set<LlmConfig>();
  for (let next: LlmConfig | undefined = config; next !== undefined && !tried.has(next);) {
    if (recorded.has(next.name)) return next;
    tried.add(next);
    next = next.whenUnconfigured === undefined ? undefined : find(next.whenUnconfigured);
  }
  return config;
}

/** Always returns the same object for the same config: callers cache by its identity. */
// Pure cache: keyed by a config, which never changes.
const withoutStandIn = new WeakMap<LlmConfig, LlmConfig>();

function chosen(config: LlmConfig): LlmConfig {
  if (config.whenUnconfigured === undefined) return config;
  const known = withoutStandIn.get(config);
  if (known !== undefined) return known;
  const { whenUnconfigured: _standIn, ...rest } = config;
  withoutStandIn.set(config, rest);
  return rest;
}

function unknownConfig(name: string, known: readonly string[]): CadreError {
  const split = splitModelName(name);
  const meant = split === undefined ? closestName(name, known) : addModel(closestName(split.provider, providerNames), split.model);
  const hint = meant === undefined ? '; there' : `; did you mean '${meant}'? There`;
  return new CadreError(
    'MODEL_UNKNOWN',
    `there is no LLM config '${name}'${hint} are: ${known.join(', ') || 'none'}; or name a model as provider/model`,
  );
}

function addModel(provider: string | undefined, model: string): string | undefined {
  return provider === undefined ? undefined : `${provider}/${model}`;
}

/** Returns a config for a model object's name, or for `provider/model`. */
function configOfModel(name: string): LlmConfig {
  const { provider, model } = (isModelName(name) ? splitModelName(name) : undefined) ?? { provider: '', model: name };
  return { name, provider, model, retry: defaultRetry, deadlines: defaultDeadlines, fallbacks: [], missing: [] };
}
