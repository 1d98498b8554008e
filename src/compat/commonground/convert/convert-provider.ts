import { isScalar, type YAMLMap } from 'yaml';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, textAt } from '../edit-yaml.ts';
import { find, type SourceFile } from '../source-file.ts';

const names = ['provider', 'custom_llm_provider'] as const;

/**
 * Moves the provider into the model's name. The second generation named it beside the model, directly or in `provider_options`;
 * the other `provider_options` were arguments of LiteLLM and join the settings.
 */
export function convertProvider(file: SourceFile, config: YAMLMap): void {
  spreadOptions(file, config);
  for (const key of names) {
    const provider = textAt(config, key);
    if (provider === undefined) continue;
    const model = textAt(config, 'model');
    const [before] = model?.value.includes('/') === true ? model.value.split('/') : [undefined];
    if (model === undefined) {
      find(file, 'not_converted', {
        at: keyNode(config, key),
        message: `the provider ${provider.value} has no model`,
        hint: 'write model: provider/model',
      });
    } else if (before === undefined) {
      model.value = `${provider.value}/${model.value}`;
      find(file, 'changed', { at: keyNode(config, key), message: `\`${key}\` is now part of the model name: ${model.value}` });
    } else if (before === provider.value) {
      find(file, 'left_out', { at: keyNode(config, key), message: `\`${key}\` is already part of the model name` });
    } else {
      find(file, 'not_converted', {
        at: keyNode(config, key),
        message: `${model.value} came from the provider ${provider.value}`,
        hint: 'write model: provider/model with the provider whose API is called',
      });
    }
    removeKey(config, key);
  }
}

function spreadOptions(file: SourceFile, config: YAMLMap): void {
  const options = mapAt(config, 'provider_options');
  if (options === undefined) return;
  for (const pair of options.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    if (!keysOf(config).includes(name)) config.items.push(pair);
    else if (nodeAt(options, name) !== undefined)
      find(file, 'not_converted', {
        at: keyNode(options, name),
        message: `\`${name}\` appears both inside and outside provider_options`,
        hint: 'keep one of them',
      });
  }
  removeKey(config, 'provider_options');
}

/** Model name in Cadre's form, or a hint when there is none. */
type ModelName = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly hint: string };

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
