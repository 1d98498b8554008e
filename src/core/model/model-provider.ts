/** Facts about a provider, available before its package is loaded. */
export interface ModelProvider {
  /** Default address; absent when its package has one, or there is none. */
  readonly baseUrl?: string;
  /** Default environment variable of its key. */
  readonly keyVar?: string;
  /** True when it can be called without a key. */
  readonly isKeyOptional?: boolean;
}

const providers: ReadonlyMap<string, ModelProvider> = new Map<string, ModelProvider>([
  ['openai', { keyVar: 'OPENAI_API_KEY' }],
  ['anthropic', { keyVar: 'ANTHROPIC_API_KEY' }],
  ['google', { keyVar: 'GOOGLE_GENERATIVE_AI_API_KEY' }],
  // Servers that speak OpenAI's chat protocol.
  ['openai-compatible', {}],
  ['ollama', { baseUrl: 'http://localhost:11434/v1', keyVar: 'OLLAMA_API_KEY', isKeyOptional: true }],
  ['vllm', { baseUrl: 'http://localhost:8000/v1', keyVar: 'VLLM_API_KEY', isKeyOptional: true }],
  ['llama.cpp', { baseUrl: 'http://localhost:8080/v1', keyVar: 'LLAMA_API_KEY', isKeyOptional: true }],
  ['lmstudio', { baseUrl: 'http://localhost:1234/v1', isKeyOptional: true }],
  ['openrouter', { baseUrl: 'https://openrouter.ai/api/v1', keyVar: 'OPENROUTER_API_KEY' }],
  ['groq', { baseUrl: 'https://api.groq.com/openai/v1', keyVar: 'GROQ_API_KEY' }],
  ['mistral', { baseUrl: 'https://api.mistral.ai/v1', keyVar: 'MISTRAL_API_KEY' }],
  ['deepseek', { baseUrl: 'https://api.deepseek.com/v1', keyVar: 'DEEPSEEK_API_KEY' }],
  ['together', { baseUrl: 'https://api.together.xyz/v1', keyVar: 'TOGETHER_API_KEY' }],
  ['xai', { baseUrl: 'https://api.x.ai/v1', keyVar: 'XAI_API_KEY' }],
]);

/** Providers that need more than an address and a key, with instructions for using them. */
const instructions: ReadonlyMap<string, string> = new Map([
  ...['azure', 'azure-openai'].map(
    (name) =>
      [
        name,
        'Azure wants a resource and a deployment besides a key: hand createAzure() of @ai-sdk/azure to createEngine({ models }), or use ' +
          'the provider openai with api: chat, the base_url https://RESOURCE.openai.azure.com/openai/v1 and an api_key.',
      ] as const,
  ),
  ...['bedrock', 'amazon-bedrock'].map(
    (name) =>
      [
        name,
        'Bedrock signs each request with AWS credentials and has no key to send: hand createAmazonBedrock() of @ai-sdk/amazon-bedrock to ' +
          'createEngine({ models }), or use the provider openai-compatible with the base_url of a gateway.',
      ] as const,
  ),
]);

/** Returns instructions for a provider that is known but not built in; undefined for all others. */
export function providerInstructions(name: string): string | undefined {
  return instructions.get(name);
}

/** Providers that an LLM config can name besides `scripted`. */
export const providerNames: readonly string[] = [...providers.keys()];

/** Finds a provider by its name in LLM configs. */
export function findProvider(name: string): ModelProvider | undefined {
  return providers.get(name);
}

/** True when an address is the provider's default. */
export function isAddressOf({ baseUrl }: ModelProvider, address: string): boolean {
  return baseUrl !== undefined && baseUrl === address.replace(/\/$/, '');
}

/** Splits a text `provider/model` at its first slash; undefined when there is none, or a part is empty. */
export function splitModelName(text: string): { readonly provider: string; readonly model: string } | undefined {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) return undefined;
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

/** True when a text names a model of a known provider, so that it needs no LLM config. */
export function isModelName(text: string): boolean {
  const split = splitModelName(text);
  return split !== undefined && providers.has(split.provider);
}
