import type { LlmConfig } from '../../core/model/llm-config.ts';
import { findProvider } from '../../core/model/model-provider.ts';

/** A package that is loaded on first use, and makes the models of one or more providers. */
export interface ProviderPackage {
  readonly packageName: string;
  /** Names under which the package's versions export the function that creates the provider. */
  readonly factories: readonly string[];
  /** One package serves many providers, which have to be named. */
  readonly needsName?: boolean;
  /** It has a method for each of several protocols, named as `api` is. */
  readonly hasApis?: boolean;
  /** It demands a key, and takes one from the environment of the process when it is given none. */
  readonly needsKey?: boolean;
}

/** A provider as one LLM config uses it. */
export interface UsedProvider {
  readonly package: ProviderPackage;
  /** Absent when the package knows the address. */
  readonly baseUrl?: string;
  readonly needsBaseUrl: boolean;
}

const openaiCompatible: ProviderPackage = {
  packageName: '@ai-sdk/openai-compatible',
  factories: ['createOpenAICompatible'],
  needsName: true,
};

const ownPackages: ReadonlyMap<string, ProviderPackage> = new Map<string, ProviderPackage>([
  ['openai', { packageName: '@ai-sdk/openai', factories: ['createOpenAI'], hasApis: true, needsKey: true }],
  ['anthropic', { packageName: '@ai-sdk/anthropic', factories: ['createAnthropic'], needsKey: true }],
  ['google', { packageName: '@ai-sdk/google', factories: ['createGoogleGenerativeAI', 'createGoogle'], needsKey: true }],
]);

/**
 * Finds what a config's provider is called through; undefined when there is none of that name.
 * `openai` with a base URL means a server that speaks OpenAI's chat protocol as others do, unless the config names an `api` of
 * OpenAI's own.
 */
export function findUsedProvider(name: string, config: Pick<LlmConfig, 'baseUrl' | 'api'>): UsedProvider | undefined {
  const provider = findProvider(name);
  if (provider === undefined) return undefined;
  if (name === 'openai' && config.baseUrl !== undefined && config.api === undefined)
    return { package: openaiCompatible, needsBaseUrl: false, baseUrl: config.baseUrl };
  const own = ownPackages.get(name);
  const baseUrl = config.baseUrl ?? provider.baseUrl;
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    package: own ?? openaiCompatible,
    needsBaseUrl: own === undefined && baseUrl === undefined,
  };
}
