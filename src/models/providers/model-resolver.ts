import { createHash } from 'node:crypto';

import { toErrorRecord, type ErrorCode, type ErrorRecord } from '../../core/error.ts';
import { closestName } from '../../core/expression/closest-name.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import { describeKey, keySourceOf, readKey } from '../../core/model/model-key.ts';
import { providerNameOf, providerNames, splitModelName } from '../../core/model/model-provider.ts';
import { providerSettingsOf, type ProviderSettings } from '../../core/model/provider-settings.ts';
import { parseAiSdkModel, type AiSdkModel } from '../adapter/ai-sdk-model.ts';
import { nameOfGiven } from './given-models.ts';
import type { TargetKey } from '../adapter/model-traffic.ts';
import { isInstalled, loadProviderModel, missingPackage } from './load-provider-model.ts';
import { findUsedProvider, type UsedProvider } from './provider-packages.ts';
import { readRecording } from '../replay/read-recording.ts';
import { createReplayModel } from '../replay/replay-model.ts';
import { createScriptedModel } from '../scripted/scripted-model.ts';

/** Sources from which models are resolved. */
export interface ModelResolverOptions {
  /**
   * AI SDK model objects, keyed by the name of an LLM config, a model, `provider/model`, or `default` (also `*`) for all others.
   */
  readonly models: Readonly<Record<string, unknown>>;
  /** Looks up the configs that fallbacks and `whenUnconfigured` name, among those loaded with `from`. */
  readonly llmConfigs: (name: string, from: LlmConfig) => LlmConfig | undefined;
  /** Environment from which keys are read on use. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Converts a tool's wire name to the real one, as scripts use it. */
  readonly decodeToolName: (wireName: string) => string;
  /** Called with each key that is used. */
  readonly onSecret?: (value: string) => void;
}

/** The config to call, and its model or a function that loads it. */
interface CallableModel {
  readonly ok: true;
  readonly config: LlmConfig;
  readonly model: AiSdkModel | (() => Promise<AiSdkModel>);
}

/** A config that can be called, possibly a substitute for an unconfigured one, or the error that prevents it. */
export type ResolvedModel = CallableModel | { readonly ok: false; readonly error: ErrorRecord };

/**
 * Identity of a config's key (`lane`) and model (`cooldown`). One key has one lane for all its models; each model cools down
 * separately.
 */
export interface ModelTarget {
  readonly lane: TargetKey;
  readonly cooldown: TargetKey;
}

interface LoadedModel {
  /** Key and settings it was loaded with. */
  readonly access: string;
  readonly model: Promise<AiSdkModel>;
}

// Headers with values that are not secret and that messages may need.
const openHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

/** Finds the model of an LLM config: a model object given by code, else a script or recording, else a provider's package. */
export class ModelResolver {
  readonly #options: ModelResolverOptions;
  readonly #given: ReadonlyMap<string, AiSdkModel>;
  /** Configs with a given model object: neither ever changes. */
  readonly #callable = new WeakMap<LlmConfig, CallableModel>();
  readonly #loaded = new WeakMap<LlmConfig, LoadedModel>();
  readonly #targets = new WeakMap<LlmConfig, { readonly access: string; readonly target: ModelTarget }>();
  readonly #scripted = new WeakMap<LlmConfig, AiSdkModel>();
  readonly #replays = new WeakMap<LlmConfig, Promise<AiSdkModel>>();

  /** Throws `MODEL_UNKNOWN` when a given value is not a model object. */
  constructor(options: ModelResolverOptions) {
    this.#options = options;
    this.#given = new Map(Object.entries(options.models).map(([name, value]) => [name, parseAiSdkModel(value, name)]));
  }

  /** Resolves a config, following `whenUnconfigured` when a requirement is missing. Loads nothing yet. */
  resolve(config: LlmConfig): ResolvedModel {
    const known = this.#callable.get(config);
    if (known !== undefined) return known;
    const given = this.#findGiven(config);
    if (given !== undefined) {
      const callable = { ok: true, config, model: given } as const;
      this.#callable.set(config, callable);
      return callable;
    }
    let current = config;
    for (const tried = new Set<string>(); !tried.has(current.name);) {
      tried.add(current.name);
      const problem = this.#findMissing(current);
      if (problem === undefined) return this.#resolveConfigured(current);
      const next = current.whenUnconfigured === undefined ? undefined : this.#options.llmConfigs(current.whenUnconfigured, current);
      if (next === undefined) return { ok: false, error: problem };
      const substitute = this.#findGiven(next);
      if (substitute !== undefined) return { ok: true, config: next, model: substitute };
      current = next;
    }
    return refuse(
      'MODEL_UNCONFIGURED',
      `The LLM configs after "${config.name}" name each other in a circle, and none of them is configured.`,
    );
  }

  /** Returns the identity of a config's model and key, the same for all callers. */
  target(config: LlmConfig): ModelTarget {
    const given = this.#findGiven(config);
    if (given !== undefined) return { lane: given, cooldown: given };
    if (config.provider === 'scripted') return { lane: config, cooldown: config };
    const access = JSON.stringify([this.#apiKey(config), this.#settings(config).values]);
    const known = this.#targets.get(config);
    if (known !== undefined && known.access === access) return known.target;
    const { provider, model } = splitModel(config);
    const address = findUsedProvider(provider, config)?.baseUrl ?? '';
    const identity = [providerNameOf(provider), address, this.#settings(config).values, ...this.secrets(config)];
    const lane = createHash('sha256').update(JSON.stringify(identity)).digest('base64');
    const target = { lane, cooldown: `${lane} ${model}` };
    this.#targets.set(config, { access, target });
    return target;
  }

  /** Returns the values that must not appear in any message about a call with this config. */
  secrets(config: LlmConfig): readonly string[] {
    const key = this.#apiKey(config);
    const headers = Object.entries(config.headers ?? {}).filter(([name]) => !openHeaders.has(name.toLowerCase()));
    return [...(key === undefined ? [] : [key]), ...this.#settings(config).secrets, ...headers.map(([, value]) => value)];
  }

  /** Describes, for an authentication error, the variable that was read and whether a key was sent. */
  describeKey(config: LlmConfig): string {
    if (this.#findGiven(config) !== undefined) return 'The key belongs to the model object that was given to the engine.';
    const { signedWith } = this.#settings(config);
    if (signedWith !== undefined) return `The request was signed with ${signedWith}.`;
    return describeKey(config, this.#options.env);
  }

  #findGiven(config: LlmConfig): AiSdkModel | undefined {
    if (this.#given.size === 0) return undefined;
    const name = nameOfGiven(this.#given, config);
    return name === undefined ? undefined : this.#given.get(name);
  }

  /** Returns an error that names the config's missing environment variables; undefined when it has all. */
  #findMissing(config: LlmConfig): ErrorRecord | undefined {
    const { variables, isRequired } = keySourceOf(config);
    const missing = config.missing.filter((name) => !this.#options.env[name]);
    // The last one is the provider's own, or the one the config names.
    const keyVar = variables.at(-1);
    if (this.#apiKey(config) === undefined && isRequired && keyVar !== undefined && !missing.includes(keyVar)) missing.push(keyVar);
    missing.push(...this.#settings(config).missing.filter((name) => !missing.includes(name)));
    if (missing.length === 0) return undefined;
    return {
      code: 'MODEL_UNCONFIGURED',
      message:
        `The LLM config "${config.name}" needs the environment variable${missing.length > 1 ? 's' : ''} ${missing.join(', ')}. ` +
        'Set it, choose another LLM config, or give the engine a model object under this name.',
    };
  }

  #resolveConfigured(config: LlmConfig): ResolvedModel {
    if (config.provider === 'scripted') return this.#resolveScripted(config);
    if (config.provider === 'replay') return this.#resolveReplay(config);
    const { provider, model } = splitModel(config);
    const found = findUsedProvider(provider, config);
    if (found === undefined) return refuse('MODEL_UNKNOWN', this.#describeUnknown(config, provider));
    if (found.needsBaseUrl) {
      return refuse(
        'MODEL_UNCONFIGURED',
        `The LLM config "${config.name}" has the provider ${provider} and needs a base_url, such as http://localhost:11434/v1.`,
      );
    }
    if (model === '') return refuse('MODEL_UNCONFIGURED', `The LLM config "${config.name}" names no model.`);
    if (!isInstalled(found.package))
      return { ok: false, error: toErrorRecord(missingPackage(found.package, config.name), 'DEPENDENCY_MISSING') };
    return { ok: true, config, model: () => this.#load(found, config, model) };
  }

  #resolveScripted(config: LlmConfig): ResolvedModel {
    if (config.script === undefined) {
      return refuse('MODEL_UNCONFIGURED', `The LLM config "${config.name}" has the provider scripted and needs a script.`);
    }
    const known = this.#scripted.get(config);
    if (known !== undefined) return { ok: true, config, model: known };
    try {
      const id = config.model === '' ? config.name : config.model;
      const model = createScriptedModel(config.script, { id, decodeToolName: this.#options.decodeToolName });
      this.#scripted.set(config, model);
      return { ok: true, config, model };
    } catch (thrown) {
      return { ok: false, error: toErrorRecord(thrown, 'PROFILE_INVALID') };
    }
  }

  #resolveReplay(config: LlmConfig): ResolvedModel {
    const { recording } = config;
    if (recording === undefined) {
      return refuse('MODEL_UNCONFIGURED', `The LLM config "${config.name}" has the provider replay and needs a recording.`);
    }
    return { ok: true, config, model: () => this.#replayed(config, recording) };
  }

  #replayed(config: LlmConfig, recording: string): Promise<AiSdkModel> {
    const known = this.#replays.get(config);
    if (known !== undefined) return known;
    const loading = readRecording(recording).then(createReplayModel);
    this.#replays.set(config, loading);
    return loading;
  }

  #load(provider: UsedProvider, config: LlmConfig, model: string): Promise<AiSdkModel> {
    const apiKey = this.#apiKey(config);
    const settings = this.#settings(config);
    const access = JSON.stringify([apiKey, settings.values]);
    const known = this.#loaded.get(config);
    if (known !== undefined && known.access === access) return known.model;
    const loading = loadProviderModel(provider, config, { model, apiKey, settings });
    this.#loaded.set(config, { access, model: loading });
    return loading;
  }

  #apiKey(config: LlmConfig): string | undefined {
    const key = readKey(keySourceOf(config), this.#options.env)?.value;
    if (key !== undefined) this.#options.onSecret?.(key);
    return key;
  }

  #settings(config: LlmConfig): ProviderSettings {
    const settings = providerSettingsOf(config, this.#options.env);
    for (const secret of settings.secrets) this.#options.onSecret?.(secret);
    return settings;
  }

  #describeUnknown(config: LlmConfig, provider: string): string {
    const known = [...this.#given.keys()];
    const what = provider === '' ? `names the model "${config.model}" and no provider` : `has the unknown provider "${provider}"`;
    const close = closestName(provider === '' ? config.model : provider, [...known, ...providerNames, 'scripted', 'replay']);
    return (
      `The LLM config "${config.name}" ${what}${close === undefined ? '.' : `; did you mean "${close}"?`} ` +
      `Model objects given to the engine: ${known.length === 0 ? 'none' : known.join(', ')}. Providers: ${providerNames.join(', ')}, scripted, replay.`
    );
  }
}

/** Splits `provider/model` when a config names its model that way and no provider. */
function splitModel(config: LlmConfig): { readonly provider: string; readonly model: string } {
  const { provider, model } = config;
  return (provider === '' ? splitModelName(model) : undefined) ?? { provider, model };
}

function refuse(code: ErrorCode, message: string): ResolvedModel {
  return { ok: false, error: { code, message } };
}
