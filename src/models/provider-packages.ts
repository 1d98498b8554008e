/** A provider whose package is loaded on first use. */
export interface ProviderPackage {
  readonly packageName: string;
  /** Names under which the package's versions export the function that creates the provider. */
  readonly factories: readonly string[];
  /** The environment variable of the key when the LLM config names none. */
  readonly apiKeyVar?: string;
  readonly needsBaseUrl: boolean;
}

const openaiCompatible: ProviderPackage = {
  packageName: '@ai-sdk/openai-compatible',
  factories: ['createOpenAICompatible'],
  needsBaseUrl: true,
};

const packages: ReadonlyMap<string, ProviderPackage> = new Map<string, ProviderPackage>([
  ['openai', { packageName: '@ai-sdk/openai', factories: ['createOpenAI'], apiKeyVar: 'OPENAI_API_KEY', needsBaseUrl: false }],
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
 * Finds the package for a provider; undefined when there is none of that name.
 * `openai` with a base URL means a server that speaks OpenAI's chat protocol, which is not the protocol of OpenAI's own models.
 */
export function findProviderPackage(provider: string, baseUrl: string | undefined): ProviderPackage | undefined {
  return provider === 'openai' && baseUrl !== undefined ? openaiCompatible : packages.get(provider);
}
