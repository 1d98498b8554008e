import type { EventOf } from '../events/event.ts';
import { isDeeperThan, maxArgumentDepth } from '../json-depth.ts';
import { isJsonObject } from '../json.ts';
import type { PromptMessage, ToolCallPart } from '../prompt/message.ts';
import { parseJson } from '../parse-json.ts';
import type { WireIds } from '../prompt/prompt.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { ReplyToolCall } from '../state/turn.ts';

/** The reply of an answered model call. */
export type Reply = NonNullable<EventOf<'model.end'>['reply']>;

/** The message of a reply in history. */
export type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** The stored message of a reply; a reply without text and calls leaves none, since providers refuse empty messages. */
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
  // Kept for the whole run, so made to measure.
  return { role: 'assistant', content: content.slice() };
}

/** A call as history shows it. */
export function callPart(call: ReplyToolCall): ToolCallPart {
  const { callId, wireId } = call;
  const ids = wireId === undefined ? { toolCallId: callId } : { toolCallId: wireId, callId };
  return { type: 'tool-call', ...ids, toolName: call.wireName, input: inputOf(call.input) };
}

/** The ids that the calls of an agent's last reply have in history: the ones that may still be answered. */
export function wireIdsOf(agent: SubContext): WireIds | undefined {
  const reply = agent.history.messages.findLast(({ role }) => role === 'assistant');
  if (reply?.role !== 'assistant') return undefined;
  let ids: Map<string, string> | undefined;
  for (const part of reply.content)
    if (part.type === 'tool-call' && part.callId !== undefined) (ids ??= new Map()).set(part.callId, part.toolCallId);
  return ids;
}

/** Arguments as history shows them; text that is no JSON object is kept under one key, since providers want objects. */
function inputOf(input: string): ToolCallPart['input'] {
  if (input.trim() === '') return {};
  try {
    const value = parseJson(input);
    if (isJsonObject(value) && !isDeeperThan(value, maxArgumentDepth)) return value;
  } catch {
    // Not JSON: shown to the model as it wrote it, beside the error result that explains what was wrong.
  }
  return { unparsed_arguments: input };
}
