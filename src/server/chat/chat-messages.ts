import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/state.ts';
import { conversation } from '../../inspect/conversation.ts';
import { endOf, headOf } from './chat-end.ts';
import { MessageParts } from './message-parts.ts';
import { fileChunks, UiStream } from './ui-stream.ts';

/** A message as the AI SDK has it (`UIMessage`). */
export interface ChatMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly metadata?: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** An answer: its id, and the event after which it begins. */
export interface AnswerBegin {
  readonly messageId: string;
  readonly known: number;
}

/** What a chat is read from: its run with all of its past. */
interface ChatRecord {
  readonly state: RunContext;
  readonly events: readonly CadreEvent[];
}

/**
 * Builds the messages of a chat from its journal: what the user said, and what the team answered, with the parts a client would
 * have put together. `current` is the answer that clients have at the moment, when that is another one than the last exchange's.
 */
export function chatMessages({ state, events }: ChatRecord, current: AnswerBegin | undefined): readonly ChatMessage[] {
  const root = state.rootAgentId;
  if (root === undefined) return [];
  const begins = beginsOf(state, events, root, current);
  const stream = new UiStream(root);
  const messages: ChatMessage[] = [];
  let parts = new MessageParts();
  let next = 0;
  const end = (): void => {
    for (const chunk of stream.close()) parts.take(chunk);
  };
  for (const event of events) {
    for (let begin = begins[next]; begin !== undefined && event.seq > begin.known; begin = begins[++next]) {
      end();
      stream.beginMessage();
      parts = new MessageParts();
      if (begin.said !== undefined) messages.push(begin.said);
      messages.push({ id: begin.messageId, role: 'assistant', metadata: headOf(state), parts: parts.parts });
    }
    for (const chunk of stream.take({ kind: 'event', event })) parts.take(chunk);
  }
  // What was said last may not have been followed by anything yet.
  for (const { said } of begins.slice(next)) if (said !== undefined) messages.push(said);
  if (state.status === 'running') return messages.filter(isUsed);
  end();
  const [last, ...before] = messages.toReversed();
  if (last?.role !== 'assistant') return messages.filter(isUsed);
  const { chunks, metadata } = endOf(state);
  for (const chunk of chunks) parts.take(chunk);
  return [...before.toReversed(), { ...last, metadata: { ...last.metadata, ...metadata } }].filter(isUsed);
}

/** An answer in which nothing was said or done is no message. */
function isUsed({ parts }: ChatMessage): boolean {
  return parts.length > 0;
}

/** Where messages begin, oldest first. */
function beginsOf(
  state: RunContext,
  events: readonly CadreEvent[],
  root: AgentId,
  current: AnswerBegin | undefined,
): readonly (AnswerBegin & { readonly said?: ChatMessage })[] {
  const said = conversation(state).flatMap((entry) => {
    if (entry.kind !== 'user' || entry.to !== root) return [];
    const { itemId, seq, text } = entry;
    const message: ChatMessage = { id: itemId, role: 'user', parts: [...textPart(text), ...filesOf(events[seq - 1])] };
    return [{ messageId: `${itemId}.answer`, known: seq, said: message }];
  });
  const isKnown = current === undefined || said.some(({ messageId }) => messageId === current.messageId);
  return isKnown ? said : [...said, current].toSorted((a, b) => a.known - b.known);
}

function textPart(text: string): readonly JsonObject[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** The files that came with a message. */
function filesOf(event: CadreEvent | undefined): readonly JsonObject[] {
  const payload = event?.type === 'inbox.add' ? event.item.payload : undefined;
  const parts = isJsonObject(payload) ? payload['parts'] : undefined;
  if (!Array.isArray(parts)) return [];
  const files = new MessageParts();
  for (const part of parts)
    if (isJsonObject(part) && part['type'] === 'file') for (const chunk of fileChunks(part as never)) files.take(chunk);
  return files.parts;
}
