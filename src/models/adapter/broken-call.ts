import { isJsonObject, type Writable } from '../../core/json.ts';
import type { ModelReply, ModelRequest, RawToolCall } from '../../core/model/model.ts';
import type { BrokenCall, ModelFailure } from '../attempts/model-failure.ts';
import { tryJson } from '../protocol/json-span.ts';
import { brokenCall as brokenTextCall, unreadableCall } from '../protocol/text-call.ts';
import type { ThrownFacts } from './thrown-facts.ts';

// Servers that parse calls themselves answer 4xx or 5xx when a model wrote one that they cannot read.
const parserWords =
  /(?:error|failed|unable|fail) (?:to )?(?:pars(?:e|ing)|generat(?:e|ing)) (?:the )?(?:tool|function)[ _-]?(?:calls?|parameter)|tool call validation failed|invalid sequence as part of tooluse/i;

// How the parsers of Ollama (`raw='…', err=…`) and Anthropic's SDKs (`JSON: …`) quote what they could not read.
const quotes = [/\braw='([^]*)',? err=/, /\. JSON: ([^]*)$/];

/** Reads what a provider's error says of a broken call; undefined when it speaks of something else. `failed` is the model's text from the chunk of a stream. */
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

/** The failure of an attempt that ended in a broken call: another attempt may go better, and so may an answer to the model. */
export function brokenCallFailure(brokenCall: BrokenCall): ModelFailure {
  const message = `The provider did not take a tool call that the model wrote: ${endSentence(brokenCall.why)}`;
  return { code: 'MODEL_CALL_BROKEN', message, retryable: true, brokenCall };
}

/** Tells whether the model of a request can be told of a broken call: it has tools, and calls them in its provider's way. */
export function canBeTold({ tools, textProtocol, purpose }: ModelRequest): boolean {
  return tools.length > 0 && textProtocol === undefined && purpose === undefined;
}

/**
 * The reply in which a broken call stands as a call that was not run, so that the model reads what was wrong with it and can write it
 * again. `message` says what is wrong. Calls that the provider read, but would not take, stand as they are.
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

/** The tool that a text names first. */
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

function endSentence(message: string): string {
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** A sentence without the dots and spaces it ends with. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
