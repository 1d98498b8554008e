import { isJsonObject, type Writable } from '../../core/json.ts';
import type { ModelReply, ModelRequest, RawToolCall } from '../../core/model/model.ts';
import type { BrokenCall, ModelFailure } from '../attempts/model-failure.ts';
import { tryJson } from '../protocol/json-span.ts';
import { brokenCall as brokenTextCall, unreadableCall } from '../protocol/text-call.ts';
import type { ThrownFacts } from './thrown-facts.ts';

// Servers that parse calls themselves answer 4xx or 5xx when the model wrote a call that they cannot parse.
const parserWords =
  /(?:error|failed|unable|fail) (?:to )?(?:pars(?:e|ing)|generat(?:e|ing)) (?:the )?(?:tool|function)[ _-]?(?:calls?|parameter)|tool call validation failed|invalid sequence as part of tooluse/i;

// Patterns in which Ollama (`raw='…', err=…`) and Anthropic's SDKs (`JSON: …`) quote text they could not parse.
const quotes = [/\braw='([^]*)',? err=/, /\. JSON: ([^]*)$/];

/**
 * Reads a broken tool call from a provider's error; undefined when the error has another cause. `failed` is the model's text from a
 * stream chunk.
 */
export function readBrokenCall(facts: ThrownFacts, failed?: string): BrokenCall | undefined {
  const { message, body, statusCode, code } = facts;
  if (statusCode !== undefined && ![400, 422, 500].includes(statusCode)) return undefined;
  const written = failed ?? failedGeneration(body);
  if (code === 'json_validate_failed') return undefined;
  if (code !== 'tool_use_failed' && written === undefined && !parserWords.test(message)) return undefined;
  const quoted = quotes.map((quote) => quote.exec(message)?.[1]).find((text) => text !== undefined);
  return { why: message, written: written ?? quoted ?? '' };
}

function failedGeneration(body: string): string | undefined {
  if (!body.includes('"failed_generation"')) return undefined;
  const value = tryJson(body);
  const error = isJsonObject(value) ? value['error'] : undefined;
  const failed = isJsonObject(error) ? error['failed_generation'] : undefined;
  return typeof failed === 'string' ? failed : undefined;
}

/** Builds the failure of an attempt that ended in a broken call; another attempt or an answer to the model may help. */
export function brokenCallFailure(brokenCall: BrokenCall): ModelFailure {
  const message = `The provider rejected a tool call of the model: ${endSentence(brokenCall.why)}`;
  return { code: 'MODEL_CALL_BROKEN', message, retryable: true, brokenCall };
}

/** True when a broken call can be answered to the model: the request has tools and calls them natively. */
export function canAnswerBrokenCall({ tools, textProtocol, purpose }: ModelRequest): boolean {
  return tools.length > 0 && textProtocol === undefined && purpose === undefined;
}

/**
 * Builds a reply that holds the broken call as one that did not run, so that the model reads the problem and can call again.
 * `message` states the problem. Calls that the provider parsed but rejected are kept as they are.
 */
export function brokenReply({ written, reply }: BrokenCall, { tools }: ModelRequest, message: string): ModelReply {
  const names = tools.map(({ name }) => name);
  const problem =
    `${withoutEnd(message)}. It was not run. Write it again as a call of one of these tools, with arguments that fit its ` +
    `schema: ${listed(names)}`;
  const calls: readonly RawToolCall[] = reply?.toolCalls ?? [];
  if (reply !== undefined && calls.length > 0) return { ...reply, toolCalls: calls.map((call) => ({ ...call, problem })) };
  const made = brokenTextCall(written, problem, nameIn(written, names));
  const call: Writable<RawToolCall> = { providerCallId: '', toolName: made.toolName, input: made.input, problem };
  const base: ModelReply = { text: '', reasoning: reply?.reasoning ?? '', toolCalls: [call], finishReason: 'tool-calls' };
  return reply?.modelId === undefined ? base : { ...base, modelId: reply.modelId };
}

/** Returns the tool name that appears first in a text. */
function nameIn(written: string, names: readonly string[]): string {
  let first = { at: Number.POSITIVE_INFINITY, name: unreadableCall };
  for (const name of names) {
    const at = written.indexOf(name);
    if (at !== -1 && (at < first.at || (at === first.at && name.length > first.name.length))) first = { at, name };
  }
  return first.name;
}

const mostNames = 40;

function listed(names: readonly string[]): string {
  return names.length <= mostNames ? names.join(', ') : `${names.slice(0, mostNames).join(', ')}, …`;
}

/** Returns a message that ends like a sentence. */
export function endSentence(message: string): string {
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** Removes dots and spaces at the end of a sentence. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
