import { isScalar, type Node } from 'yaml';

/** Matches values written where a client requires a key and the server does not. Real keys are longer and are not such words. */
const placeholders =
  /^(?:|x{1,}|-+|\*+|\.+|0+|1234?|abc|any|anything|dummy|empty|fake|foo|key|local|localhost|mock|na|n\/a|nil|nokey|none|null|placeholder|secret|string|test|token|undefined|unused|ollama|vllm|lm[-_ ]?studio|llama[-_.]?cpp|litellm)$/;

/** Matches phrases such as `sk-no-key-required`, `your-api-key`, `not-needed`, `dummy-key`, `<API_KEY>`. */
const phrases =
  /^(?:<.*>|\[.*\]|(?:sk-)?(?:no|not|non|none|dummy|fake|test|mock|empty|placeholder|local|example|your|my|insert|change|replace|any|some)[-_ ](?:[a-z]+[-_ ]?){1,5})$/;

/** True for a placeholder such as `dummy`, `EMPTY` or `sk-no-key-required`, which means that no key is needed. */
export function isPlaceholderKey(node: Node | undefined): boolean {
  if (!isScalar(node)) return false;
  if (typeof node.value === 'number') return /^0*(?:1234?)?$/.test(String(node.value));
  if (typeof node.value !== 'string') return false;
  const text = node.value.trim().toLowerCase();
  return placeholders.test(text) || placeholders.test(text.replace(/^sk-/, '')) || phrases.test(text);
}
