import { isMap, isScalar, type Node, type Scalar, type YAMLMap } from 'yaml';
import { keyNode, keysOf, mapAt, nodeAt, removeKey, renameKey, setKeys, setText, textAt } from '../edit-yaml.ts';
import { convertProvider, toModelName } from './convert-provider.ts';
import { dropOtherForm, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';

/** Settings with the same meaning in Cadre. */
const same: ReadonlySet<string> = new Set([
  'api_base',
  'base_url',
  'temperature',
  'top_p',
  'seed',
  'max_tokens',
  'max_retries',
  'wait_seconds_on_retry',
  'reasoning_effort',
]);

const renamed: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_tokens',
  num_ctx: 'context_window',
  save_reasoning_content: 'return_reasoning',
  num_retries: 'max_retries',
  extra_headers: 'headers',
  headers: 'headers',
};

/** Settings without a use in Cadre, with the reason. */
const useless: Readonly<Record<string, string>> = {
  litellm_token_counter_model: 'tokens are estimated from the text, and corrected by what the provider counts',
  stream: 'replies are always streamed',
  stream_options: 'usage is always requested',
  api_type: 'the protocol follows from the provider',
  drop_params: 'settings that a provider does not support are never sent',
};

const hints: Readonly<Record<string, string>> = {
  thinking_config: 'write reasoning_effort: low, medium or high',
  thinking: 'write reasoning_effort: low, medium or high',
  tool_choice: 'profiles have tool_choice',
};

/** Converts one LLM config in place. */
export function convertLlmConfig(file: SourceFile, jsonFiles: ReadonlySet<string>): void {
  const { root } = file;
  // A file with the default model of the second generation.
  if (keysOf(root).includes('llm_config') && !keysOf(root).includes('config')) renameKey(root, 'llm_config', 'config');
  if (textAt(root, 'name') === undefined) {
    setKeys(file.document, root, { name: llmConfigName(file) });
    find(file, 'changed', {
      at: undefined,
      message: `the LLM config has no name, and is called ${llmConfigName(file)} like its file`,
    });
  }
  keepKeys(file, file.root, {
    known: ['name', 'type', 'base_llm_config', 'description_for_human', 'config'],
    what: 'an LLM config',
  });
  setKeys(file.document, file.root, { type: 'llm_config' });
  const config = mapAt(file.root, 'config');
  if (config === undefined) return dropOtherForm(file, file.root, { key: 'config', form: 'a map of settings' });
  convertSettings(file, config, jsonFiles);
}

/** Returns the name of an LLM config: its own, or that of its file. */
export function llmConfigName({ data, path }: SourceFile): string {
  const { name } = data;
  const own =
    path
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '') ?? '';
  return typeof name === 'string' && name !== '' ? name : own;
}

/** Converts the settings of a model in place, in an LLM config or profile. */
export function convertSettings(file: SourceFile, config: YAMLMap, jsonFiles: ReadonlySet<string>): void {
  flattenOptions(file, config);
  convertProvider(file, config);
  for (const key of keysOf(config)) convertSetting(file, config, { key, jsonFiles });
}

/** Moves `litellm_options` among the settings, which they overrode. */
function flattenOptions(file: SourceFile, config: YAMLMap): void {
  const options = mapAt(config, 'litellm_options');
  if (options === undefined) return dropOtherForm(file, config, { key: 'litellm_options', form: 'a map of settings' });
  for (const pair of options.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    removeKey(config, key);
    config.items.push(pair);
  }
  find(file, 'changed', {
    at: keyNode(config, 'litellm_options'),
    message: 'the contents of `litellm_options` are now among the settings',
  });
  removeKey(config, 'litellm_options');
}

function convertSetting(
  file: SourceFile,
  config: YAMLMap,
  { key, jsonFiles }: { readonly key: string; readonly jsonFiles: ReadonlySet<string> },
): void {
  const node = nodeAt(config, key);
  if (node === undefined || (isScalar(node) && node.value === null)) return removeKey(config, key);
  if (key === 'api_key') return convertKey(file, config, node);
  if (!convertLookup(file, config, { key, node, jsonFiles })) return;
  if (key === 'model') return convertModel(file, config, node);
  if (same.has(key)) return;
  const to = Object.hasOwn(renamed, key) ? renamed[key] : undefined;
  if (to !== undefined) return renameKey(config, key, to);
  if (key === 'stop') return convertStop(file, config, node);
  if (key === 'timeout' || key === 'request_timeout') {
    removeKey(config, key);
    return setKeys(file.document, config, { timeouts: { total: node } });
  }
  const reason = Object.hasOwn(useless, key) ? useless[key] : undefined;
  if (reason === undefined) {
    find(file, 'not_converted', {
      at: keyNode(config, key),
      message: `Cadre has no setting \`${key}\``,
      hint:
        (Object.hasOwn(hints, key) ? hints[key] : undefined) ??
        'docs/profiles.md lists the settings; provider settings go into provider_options',
    });
  } else {
    find(file, 'left_out', { at: keyNode(config, key), message: `\`${key}\`: ${reason}` });
  }
  removeKey(config, key);
}

function convertStop(file: SourceFile, config: YAMLMap, node: Node): void {
  if (isScalar(node)) setKeys(file.document, config, { stop: [node.value] });
}

/** Converts an API key. Keys from the environment stay there; a literal key is dropped and never shown. */
function convertKey(file: SourceFile, config: YAMLMap, node: Node): void {
  if (isMap(node) && textAt(node, '_type')?.value === 'from_env') {
    if (isPlaceholderKey(nodeAt(node, 'default'))) {
      const variable = textAt(node, 'var')?.value ?? '';
      find(file, 'changed', {
        at: keyNode(node, 'default'),
        message: `the default of ${variable} is a placeholder: no key is needed, so none is required`,
        hint: `write api_key: { _type: from_env, var: ${variable} } to send one`,
      });
      return removeKey(config, 'api_key');
    }
    if (nodeAt(node, 'default') !== undefined) {
      find(file, 'changed', { at: keyNode(node, 'default'), message: 'keys must not be in files: its default is left out' });
      removeKey(node, 'default');
    }
    return keepKeys(file, node, { known: ['_type', 'var', 'required'], what: 'a key' });
  }
  if (isPlaceholderKey(node)) {
    find(file, 'left_out', {
      at: keyNode(config, 'api_key'),
      message: 'the key is a placeholder: no key is needed, so none is required',
    });
    return removeKey(config, 'api_key');
  }
  const name = `${(textAt(file.root, 'name')?.value ?? 'llm').toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_API_KEY`;
  find(file, 'changed', {
    at: keyNode(config, 'api_key'),
    message: `keys must not be in files: it is left out, and comes from the variable ${name}`,
    hint: `set ${name}, and revoke a key that others may have seen`,
  });
  setKeys(file.document, config, { api_key: { _type: 'from_env', var: name } });
}

/** Converts a lookup; false when the setting was removed. */
function convertLookup(
  file: SourceFile,
  config: YAMLMap,
  { key, node, jsonFiles }: { readonly key: string; readonly node: Node; readonly jsonFiles: ReadonlySet<string> },
): boolean {
  if (!isMap(node)) return true;
  const type = textAt(node, '_type');
  if (type === undefined) return true;
  if (type.value === 'from_env' && /^[A-Za-z_]\w*$/.test(textAt(node, 'var')?.value ?? '')) {
    keepKeys(file, node, { known: ['_type', 'var', 'default', 'required'], what: 'from_env' });
    return true;
  }
  const path = textAt(node, 'path')?.value.replace(/^\.\//, '') ?? '';
  if (type.value === 'json_from_file' && [...jsonFiles].some((each) => each === path || each.endsWith(`/${path}`))) return true;
  const what = type.value === 'json_from_file' ? `the file ${path} is not in the tree` : `\`_type: ${type.value}\` is unknown`;
  find(file, 'not_converted', {
    at: type,
    message: `${key}: ${what}`,
    hint: 'paths start at the folder of profiles; write the value, or from_env',
  });
  removeKey(config, key);
  return false;
}

function convertModel(file: SourceFile, config: YAMLMap, node: Node): void {
  if (isScalar(node) && typeof node.value === 'string') return convertModelText(file, config, node as Scalar<string>);
  if (!isMap(node)) return;
  const variable = textAt(node, 'var')?.value ?? '';
  const fallback = textAt(node, 'default');
  if (fallback !== undefined) convertModelText(file, config, fallback);
  find(file, 'changed', {
    at: node,
    message: `${variable} must name a model as Cadre does: provider/model, such as google/… for gemini/…`,
  });
}

function convertModelText(file: SourceFile, config: YAMLMap, text: Scalar<string>): void {
  // A server that speaks OpenAI's protocol at another address may use any model names.
  const converted = toModelName(text.value);
  if (converted.ok) {
    if (converted.name !== text.value) {
      find(file, 'changed', { at: text, message: `the model ${text.value} is now ${converted.name}` });
      setText(text, converted.name);
    }
    return;
  }
  if (nodeAt(config, 'base_url') !== undefined || nodeAt(config, 'api_base') !== undefined) {
    find(file, 'changed', { at: text, message: `the model ${text.value} comes from an OpenAI-compatible server` });
    return setText(text, `openai-compatible/${text.value}`);
  }
  find(file, 'not_converted', { at: text, message: `the model ${text.value} has no known provider`, hint: converted.hint });
}

/** Matches values written where a client requires a key and the server does not. Real keys are longer and are not such words. */
const placeholders =
  /^(?:|x{1,}|-+|\*+|\.+|0+|1234?|abc|any|anything|dummy|empty|fake|foo|key|local|localhost|mock|na|n\/a|nil|nokey|none|null|placeholder|secret|string|test|token|undefined|unused|ollama|vllm|lm[-_ ]?studio|llama[-_.]?cpp|litellm)$/;

/** Matches phrases such as `sk-no-key-required`, `your-api-key`, `not-needed`, `dummy-key`, `<API_KEY>`. */
const phrases =
  /^(?:<.*>|\[.*\]|(?:sk-)?(?:no|not|non|none|dummy|fake|test|mock|empty|placeholder|local|example|your|my|insert|change|replace|any|some)[-_ ](?:[a-z]+[-_ ]?){1,5})$/;

/** True for a placeholder such as `dummy`, `EMPTY` or `sk-no-key-required`, which means that no key is needed. */
function isPlaceholderKey(node: Node | undefined): boolean {
  if (!isScalar(node)) return false;
  if (typeof node.value === 'number') return /^0*(?:1234?)?$/.test(String(node.value));
  if (typeof node.value !== 'string') return false;
  const text = node.value.trim().toLowerCase();
  return placeholders.test(text) || placeholders.test(text.replace(/^sk-/, '')) || phrases.test(text);
}
