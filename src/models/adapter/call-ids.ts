import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ToolCallPart, ToolResultPart } from '../../core/prompt/message.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';

/**
 * Which ids of calls a wire takes. Another id is replaced by the engine's, which every provider takes (nine letters and digits), in
 * the call and in its result.
 */
export interface CallIdRule {
  readonly name: 'nine' | 'word' | 'short' | 'any';
  readonly pattern: RegExp;
}

// Mistral: "must be a-z, A-Z, 0-9, with a length of 9"; its tokenizer demands it of every server.
const nine: CallIdRule = { name: 'nine', pattern: /^[a-zA-Z0-9]{9}$/ };
// Anthropic: ^[a-zA-Z0-9_-]+$; Bedrock: the same, and 64 characters.
const word: CallIdRule = { name: 'word', pattern: /^[a-zA-Z0-9_-]{1,64}$/ };
// OpenAI: 40 characters in chat, 64 in responses.
const short: CallIdRule = { name: 'short', pattern: /^[\x21-\x7e]{1,40}$/ };
// Servers that speak OpenAI's chat protocol take what their models write (`functions.search:0`) and what gateways hide in ids.
const any: CallIdRule = { name: 'any', pattern: /^/ };

const mistralModel = /(?:^|[/._-])(?:mistral|mixtral|ministral|magistral|devstral|codestral|pixtral|voxtral)/i;
const openaiModel = /(?:^|\/)(?:gpt-(?!oss)|o\d)/i;

/** Finds the rule of a config's wire. Gateways hand ids on to the provider of the model, so the model's name counts, too. */
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

/** Tells whether a part has an id that the wire does not take. */
export function hasForeignId({ callId, toolCallId }: ToolCallPart | ToolResultPart, rule: CallIdRule): boolean {
  return callId !== undefined && !rule.pattern.test(toolCallId);
}

/** The part with an id that the wire takes. */
export function withLegalId<T extends ToolCallPart | ToolResultPart>(part: T, rule: CallIdRule): T {
  return part.callId !== undefined && hasForeignId(part, rule) ? { ...part, toolCallId: part.callId } : part;
}
