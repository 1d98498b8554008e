import { isScalar, type Node } from 'yaml';

/**
 * What is written where a client insists on a key and the server wants none. Real keys are longer, and hold no such word as a whole.
 */
const placeholders =
  /^(?:|x{1,}|-+|\*+|\.+|0+|1234?|abc|any|anything|dummy|empty|fake|foo|key|local|localhost|mock|na|n\/a|nil|nokey|none|null|placeholder|secret|string|test|token|undefined|unused|ollama|vllm|lm[-_ ]?studio|llama[-_.]?cpp|litellm)$/;

/** A phrase of the kind `sk-no-key-required`, `your-api-key`, `not-needed`, `dummy-key`, `<API_KEY>`. */
const phrases =
  /^(?:<.*>|\[.*\]|(?:sk-)?(?:no|not|non|none|dummy|fake|test|mock|empty|placeholder|local|example|your|my|insert|change|replace|any|some)[-_ ](?:[a-z]+[-_ ]?){1,5})$/;

/** True for a value such as `dummy`, `EMPTY` or `sk-no-key-required`, which says that no key is needed. */
export function isPlaceholderKey(node: Node | undefined): boolean {
  if (!isScalar(node)) return false;
  if (typeof node.value === 'number') return /^0*(?:1234?)?$/.test(String(node.value));
  if (typeof node.value !== 'string') return false;
  const text = node.value.trim().toLowerCase();
  return placeholders.test(text) || placeholders.test(text.replace(/^sk-/, '')) || phrases.test(text);
}
