import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ToolCallPart, ToolResultPart } from '../../core/prompt/message.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';

/**
 * Tool call ids that a wire format accepts. Any other id is replaced by the engine's (nine letters and digits, which every provider
 * accepts) in the call and in its result.
 */
export interface CallIdRule {
  readonly name: 'nine' | 'word' | 'short' | 'any';
  /** Undefined accepts every id. */
  readonly pattern: RegExp | undefined;
}

// Mistral: "must be a-z, A-Z, 0-9, with a length of 9"; its tokenizer demands it on every server.
const nine: CallIdRule = { name: 'nine', pattern: /^[a-zA-Z0-9]{9}$/ };
// Anthropic: ^[a-zA-Z0-9_-]+$; Bedrock: the same, at most 64 characters.
const word: CallIdRule = { name: 'word', pattern: /^[a-zA-Z0-9_-]{1,64}$/ };
// OpenAI: at most 40 characters in chat, 64 in responses.
const short: CallIdRule = { name: 'short', pattern: /^[\x21-\x7e]{1,40}$/ };
// Servers with OpenAI's chat protocol accept ids that their models write (`functions.search:0`) and data that gateways hide in ids.
const any: CallIdRule = { name: 'any', pattern: undefined };

const mistralModel = /(?:^|[/._-])(?:mistral|mixtral|ministral|magistral|devstral|codestral|pixtral|voxtral)/i;
const openaiModel = /(?:^|\/)(?:gpt-(?!oss)|o\d)/i;

/**
 * Returns the id rule of a config's wire format. Considers the model's name too, since gateways pass ids to the model's provider.
 */
export function callIdRuleOf(
  { provider: named }: Pick<LlmConfig, 'provider'>,
  model: Pick<AiSdkModel, 'provider' | 'modelId'>,
): CallIdRule {
  const { provider, modelId } = model;
  if (named === 'mistral' || provider.startsWith('mistral') || mistralModel.test(modelId)) return nine;
  if (/anthropic|bedrock|\.messages$/.test(`${named} ${provider}`) || /claude/i.test(modelId)) return word;
  if (/^(?:openai|azure[\w-]*)\./.test(provider) || openaiModel.test(modelId)) return short;
  return any;
}

/** True when a part has an id that the wire format rejects. */
export function hasForeignId({ callId, toolCallId }: ToolCallPart | ToolResultPart, rule: CallIdRule): boolean {
  return callId !== undefined && rule.pattern !== undefined && !rule.pattern.test(toolCallId);
}

/** Returns the part with an id that the wire format accepts. */
export function withLegalId<T extends ToolCallPart | ToolResultPart>(part: T, rule: CallIdRule): T {
  return part.callId !== undefined && hasForeignId(part, rule) ? { ...part, toolCallId: part.callId } : part;
}
