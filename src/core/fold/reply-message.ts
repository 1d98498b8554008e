import type { EventOf } from '../events/event.ts';
import { isJsonObject, parseJson, isDeeperThan, maxArgumentDepth } from '../json.ts';
import type { PromptMessage, ToolCallPart } from '../prompt/message.ts';
import type { WireIds } from '../prompt/prompt.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { ReplyToolCall } from '../state/turn.ts';

/** The reply of an answered model call. */
export type Reply = NonNullable<EventOf<'model.end'>['reply']>;

/** The message of a reply in history. */
export type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** Returns the stored message of a reply; undefined for a reply without text and calls, since providers refuse empty messages. */
export function assistantMessage(reply: Reply): AssistantMessage | undefined {
  const hasText = reply.text.trim() !== '';
  if (!hasText && reply.toolCalls.length === 0) return undefined;
  const content: AssistantMessage['content'][number][] = [];
  for (const part of reply.reasoningParts ?? [])
    content.push({ type: 'reasoning', text: part.text, providerOptions: part.providerOptions });
  if (hasText) content.push({ type: 'text', text: reply.shown ?? reply.text });
  for (const file of reply.files ?? []) content.push(file);
  for (const call of reply.toolCalls) {
    const part = callPart(call);
    content.push(call.providerOptions === undefined ? part : { ...part, providerOptions: call.providerOptions });
  }
  // An exact copy, since it is kept for the whole run and a grown array reserves room.
  return { role: 'assistant', content: content.slice() };
}

/** Converts a call to its part in history. */
export function callPart(call: ReplyToolCall): ToolCallPart {
  const { callId, wireId } = call;
  const ids = wireId === undefined ? { toolCallId: callId } : { toolCallId: wireId, callId };
  return { type: 'tool-call', ...ids, toolName: call.wireName, input: inputOf(call.input) };
}

/** Returns the history ids of the calls in an agent's last reply, which may still be answered. */
export function wireIdsOf(agent: SubContext): WireIds | undefined {
  const reply = agent.history.messages.findLast(({ role }) => role === 'assistant');
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
