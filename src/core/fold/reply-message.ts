import type { EventOf } from '../events/event.ts';
import { isJsonObject, parseJson, isDeeperThan, maxArgumentDepth } from '../json.ts';
import type { PromptMessage, ToolCallPart } from '../prompt/message.ts';
import type { WireIds } from '../prompt/prompt.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { ReplyToolCall } from '../state/turn.ts';
import type { RawToolCall } from '../model/model.ts';

/** The reply of an answered model call. */
export type Reply = NonNullable<EventOf<'model.end'>['reply']>;

/** The message of a reply in history. */
export type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** Returns the stored message of a reply; undefined for a reply without text and calls, since providers refuse empty messages. */
export function assistantMessage(reply: Reply): AssistantMessage | undefined {
  const hasText = reply.text.trim() !== '';
  if (!hasText && reply.toolCalls.length === 0) return undefined;
  const content: AssistantMessage['content'][number][] = [];
  if (reply.reasoningParts !== undefined)
    for (const { text, providerOptions } of reply.reasoningParts) content.push({ type: 'reasoning', text, providerOptions });
  if (hasText) content.push({ type: 'text', text: reply.shown ?? reply.text });
  if (reply.files !== undefined) for (const file of reply.files) content.push(file);
  for (const call of reply.toolCalls) {
    const part = callPart(call);
    content.push(call.providerOptions === undefined ? part : { ...part, providerOptions: call.providerOptions });
  }
  // An exact copy, since it is kept for the whole run and a grown array reserves room.
  return { role: 'assistant', content: content.slice() };
}

/** Converts a call to its part in history. */
export function callPart(call: ReplyToolCall): ToolCallPart {
  const { callId, wireId, wireName: toolName } = call;
  const input = inputOf(call.input);
  return wireId === undefined
    ? { type: 'tool-call', toolCallId: callId, toolName, input }
    : { type: 'tool-call', toolCallId: wireId, callId, toolName, input };
}

/** Returns the history ids of the calls in an agent's last reply, which may still be answered. */
export function wireIdsOf(agent: SubContext): WireIds | undefined {
  const { messages } = agent.history;
  let last = messages.length - 1;
  while (last >= 0 && messages[last]?.role !== 'assistant') last -= 1;
  const reply = messages[last];
  if (reply?.role !== 'assistant') return undefined;
  let ids: Map<string, string> | undefined;
  for (const part of reply.content)
    if (part.type === 'tool-call' && part.callId !== undefined) (ids ??= new Map()).set(part.callId, part.toolCallId);
  return ids;
}

/** Converts arguments to their form in history; text that is not a JSON object goes under one key, since providers require objects. */
function inputOf(input: string): ToolCallPart['input'] {
  if (input.trim() === '') return {};
  try {
    const value = parseJson(input);
    if (isJsonObject(value) && !isDeeperThan(value, maxArgumentDepth)) return value;
  } catch {
    // Not JSON: the model sees its own text, beside the error result that explains the problem.
  }
  return { unparsed_arguments: input };
}

// Some gateways encode signatures of several thousand characters into ids; anything longer is not an id.
const mostChars = 16_384;
const printable = /^[\x21-\x7e]+$/;
const ofEngine = /^c[0-9a-z]{8}$/;
const numbered = /^(.*\D):\d+$/;

/** The call ids of a history. */
type UsedIds = Pick<ReadonlySet<string>, 'has' | 'size'>;

/**
 * Returns the id of a call and its result in history: the provider's id if it gave one that is unused in this history, else
 * undefined for the engine's id. A repeated id that counts calls (`functions.search:0`) keeps its form with the next free
 * number: models trained on the form stop calling tools once they read another one. `used` holds the ids of the history.
 */
export function wireIdOf(call: Pick<RawToolCall, 'providerCallId' | 'isIdOurs'>, used: UsedIds): string | undefined {
  const { providerCallId: id } = call;
  if (call.isIdOurs === true || id.length > mostChars || !printable.test(id) || ofEngine.test(id)) return undefined;
  if (!used.has(id)) return id;
  const [, form] = numbered.exec(id) ?? [];
  if (form === undefined) return undefined;
  for (let number = used.size; ; number += 1) {
    const free = `${form}:${number}`;
    if (!used.has(free)) return free;
  }
}
