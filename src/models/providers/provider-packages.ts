import type { LlmConfig } from '../../core/model/llm-config.ts';
import { findProvider, providerNameOf } from '../../core/model/model-provider.ts';

/** Package loaded on first use, which creates the models of one or more providers. */
export interface ProviderPackage {
  readonly packageName: string;
  /** Imports a package that comes with Cadre; others are imported by their name. */
  readonly load?: () => Promise<unknown>;
  /** Exports that create the provider, in different versions of the package. */
  readonly factories: readonly string[];
  /** The package serves many providers and needs their name. */
  readonly needsName?: boolean;
  /** The package has a method for each protocol, named like `api`. */
  readonly hasApis?: boolean;
  /** The package demands a key, and reads one from the process's environment when it is given none. */
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
  load: () => import('@ai-sdk/openai-compatible'),
  factories: ['createOpenAICompatible'],
  needsName: true,
};

const ownPackages: ReadonlyMap<string, ProviderPackage> = new Map<string, ProviderPackage>([
  [
    'openai',
    {
      packageName: '@ai-sdk/openai',
      load: () => import('@ai-sdk/openai'),
      factories: ['createOpenAI'],
      hasApis: true,
      needsKey: true,
    },
  ],
  ['anthropic', { packageName: '@ai-sdk/anthropic', factories: ['createAnthropic'], needsKey: true }],
  ['azure', { packageName: '@ai-sdk/azure', factories: ['createAzure'], hasApis: true, needsKey: true }],
  ['bedrock', { packageName: '@ai-sdk/amazon-bedrock', factories: ['createAmazonBedrock'], needsKey: true }],
  ['google', { packageName: '@ai-sdk/google', factories: ['createGoogleGenerativeAI', 'createGoogle'], needsKey: true }],
]);

/**
 * Finds the package and address for a config's provider; undefined for an unknown provider. `openai` with a base URL means an
 * OpenAI-compatible chat server, unless the config names an `api` of OpenAI's own.
 */
export function findUsedProvider(name: string, config: Pick<LlmConfig, 'baseUrl' | 'api'>): UsedProvider | undefined {
  const provider = findProvider(name);
  if (provider === undefined) return undefined;
  if (name === 'openai' && config.baseUrl !== undefined && config.api === undefined)
    return { package: openaiCompatible, needsBaseUrl: false, baseUrl: config.baseUrl };
  const own = ownPackages.get(providerNameOf(name));
  const baseUrl = config.baseUrl ?? provider.baseUrl;
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    package: own ?? openaiCompatible,
    needsBaseUrl: own === undefined && baseUrl === undefined,
  };
}
