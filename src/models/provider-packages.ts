import type { LlmConfig } from '../core/llm-config.ts';

/** A provider whose package is loaded on first use. */
export interface ProviderPackage {
  readonly packageName: string;
  /** Names under which the package's versions export the function that creates the provider. */
  readonly factories: readonly string[];
  /** The environment variable of the key when the LLM config names none. */
  readonly apiKeyVar?: string;
  readonly needsBaseUrl: boolean;
  /** One package serves many providers, which have to be named. */
  readonly needsName?: boolean;
  /** It has a method for each of several protocols, named as `api` is. */
  readonly hasApis?: boolean;
}

const openaiCompatible: ProviderPackage = {
  packageName: '@ai-sdk/openai-compatible',
  factories: ['createOpenAICompatible'],
  needsBaseUrl: true,
  needsName: true,
};

const packages: ReadonlyMap<string, ProviderPackage> = new Map<string, ProviderPackage>([
  [
    'openai',
    { packageName: '@ai-sdk/openai', factories: ['createOpenAI'], apiKeyVar: 'OPENAI_API_KEY', needsBaseUrl: false, hasApis: true },
  ],
  ['openai-compatible', openaiCompatible],
  [
    'anthropic',
    { packageName: '@ai-sdk/anthropic', factories: ['createAnthropic'], apiKeyVar: 'ANTHROPIC_API_KEY', needsBaseUrl: false },
  ],
  [
    'google',
    {
      packageName: '@ai-sdk/google',
      factories: ['createGoogleGenerativeAI', 'createGoogle'],
      apiKeyVar: 'GOOGLE_GENERATIVE_AI_API_KEY',
      needsBaseUrl: false,
    },
  ],
]);

/** The providers an LLM config can name besides `scripted`. */
export const providerNames: readonly string[] = [...packages.keys()];

/**
 * Finds the package for a config's provider; undefined when there is none of that name.
 * `openai` with a base URL means a server that speaks OpenAI's chat protocol as others do, unless the config names an `api` of
 * OpenAI's own.
 */
export function findProviderPackage(provider: string, config: Pick<LlmConfig, 'baseUrl' | 'api'>): ProviderPackage | undefined {
  const isForeign = provider === 'openai' && config.baseUrl !== undefined && config.api === undefined;
  return isForeign ? openaiCompatible : packages.get(provider);
}
