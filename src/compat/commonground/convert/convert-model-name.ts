/** Model name in Cadre's form, or a hint when there is none. */
export type ModelName = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly hint: string };

/** LiteLLM's provider prefixes, mapped to Cadre's providers. */
const providers: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  google: 'google',
  ollama: 'ollama',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
  vllm: 'vllm',
  lm_studio: 'lmstudio',
  llamafile: 'llama.cpp',
  openrouter: 'openrouter',
  groq: 'groq',
  mistral: 'mistral',
  deepseek: 'deepseek',
  together_ai: 'together',
  xai: 'xai',
  openai_like: 'openai-compatible',
  custom_openai: 'openai-compatible',
  litellm_proxy: 'openai-compatible',
};

const elsewhere = 'pass it as a model object: createEngine({ models }), see docs/models.md';

/** Patterns of names without a provider that LiteLLM knows. */
const bare: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o[1345](?:-|$))/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google'],
  [/^(?:mistral|codestral|magistral)-/, 'mistral'],
  [/^deepseek-/, 'deepseek'],
];

/** Converts a LiteLLM model name: `gemini/x` to `google/x`, `gpt-5` to `openai/gpt-5`. */
export function toModelName(name: string): ModelName {
  const slash = name.indexOf('/');
  if (slash > 0) {
    const provider = name.slice(0, slash);
    const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    if (found === undefined) return { ok: false, hint: `Cadre has no provider ${provider}; ${elsewhere}` };
    return { ok: true, name: `${found}/${name.slice(slash + 1)}` };
  }
  const found = bare.find(([pattern]) => pattern.test(name));
  if (found === undefined) return { ok: false, hint: `write provider/model; or ${elsewhere}` };
  return { ok: true, name: `${found[1]}/${name}` };
}
