import type { UIMessage, UIMessageChunk } from 'ai';
import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { FilePart } from '../../core/prompt/message.ts';
import { conversation } from '../../inspect/conversation.ts';
import { endOf, headOf } from './chat-end.ts';
import { toFilePart, UiStream } from './ui-stream.ts';

/** Start of an answer: its message id, and the event after which it begins. */
export interface AnswerBegin {
  readonly messageId: string;
  readonly known: number;
}

interface Begin extends AnswerBegin {
  /** Message of the user that it answers; absent when it answers a decision. */
  readonly userMessage?: UIMessage;
}

/** A run with all of its past. */
interface ChatRecord {
  readonly state: RunContext;
  readonly events: readonly CadreEvent[];
}

/** A chat record with its root agent. */
interface Chat extends ChatRecord {
  readonly root: AgentId;
}

/**
 * Builds the messages of a chat from its journal: those of the user, and the team's answers with the parts a client would have
 * assembled. `current` is the answer that clients are showing when it does not begin with a message of the user.
 */
export async function chatMessages({ state, events }: ChatRecord, current: AnswerBegin | undefined): Promise<readonly UIMessage[]> {
  const root = state.rootAgentId;
  if (root === undefined) return [];
  const chat: Chat = { state, events, root };
  const begins = beginsOf(chat, current);
  const messages: UIMessage[] = [];
  for (const [index, { messageId, userMessage, chunks }] of answersOf(chat, begins).entries()) {
    if (userMessage !== undefined) messages.push(userMessage);
    const parts = await assembleParts(chunks);
    // An answer in which nothing was said or done is not a message.
    if (parts.length === 0) continue;
    const isLast = index === begins.length - 1 && state.status !== 'running';
    const metadata = isLast ? { ...headOf(state), ...endOf(state).metadata } : headOf(state);
    messages.push({ id: messageId, role: 'assistant', metadata, parts });
  }
  return messages;
}

/** Returns the chunks of each answer. */
function answersOf(
  { state, events, root }: Chat,
  begins: readonly Begin[],
): readonly (Begin & { readonly chunks: readonly UIMessageChunk[] })[] {
  const stream = new UiStream(state.meta, root);
  const answers = begins.map((begin) => ({ ...begin, chunks: [] as UIMessageChunk[] }));
  let current = -1;
  const add = (chunks: readonly UIMessageChunk[]): void => {
    answers[current]?.chunks.push(...chunks);
  };
  for (const event of events) {
    for (let begin = begins[current + 1]; begin !== undefined && event.seq > begin.known; begin = begins[current + 1]) {
      add([...stream.close(), ...stream.showOpen()]);
      stream.beginMessage();
      current += 1;
    }
    add(stream.take({ kind: 'event', event }));
  }
  if (state.status !== 'running') add([...stream.close(), ...stream.showOpen(), ...endOf(state).chunks]);
  return answers;
}

/** Returns where each answer begins, oldest first. */
function beginsOf({ state, events, root }: Chat, current: AnswerBegin | undefined): readonly Begin[] {
  const begins = conversation(state).flatMap((entry) => {
    if (entry.kind !== 'user' || entry.to !== root) return [];
    const { itemId, seq, text } = entry;
    const message: UIMessage = { id: itemId, role: 'user', parts: [...textPart(text), ...filesOf(events[seq - 1])] };
    return [{ messageId: `${itemId}.answer`, known: seq, userMessage: message }];
  });
  const isKnown = current === undefined || begins.some(({ messageId }) => messageId === current.messageId);
  return isKnown ? begins : [...begins, current].toSorted((a, b) => a.known - b.known);
}

function textPart(text: string): UIMessage['parts'] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** Returns the files attached to a message of the user. */
function filesOf(event: CadreEvent | undefined): UIMessage['parts'] {
  const payload = event?.type === 'inbox.add' ? event.item.payload : undefined;
  const parts = isJsonObject(payload) ? payload['parts'] : undefined;
  if (!Array.isArray(parts)) return [];
  return (parts as readonly FilePart[]).filter(({ type }) => type === 'file').map(toFilePart);
}

/** Assembles the chunks of one message as clients of the AI SDK do. Rejects where a client would fail on a chunk. */
async function assembleParts(chunks: readonly UIMessageChunk[]): Promise<UIMessage['parts']> {
  const { createUIMessageStream } = await import('ai');
  const message = Promise.withResolvers<UIMessage>();
  const stream = createUIMessageStream({
    execute: ({ writer }) => {
      for (const chunk of chunks) writer.write(chunk);
    },
    // `readUIMessageStream` would copy the message at every chunk.
    onEnd: ({ responseMessage }) => message.resolve(responseMessage),
  });
  await stream.pipeTo(new WritableStream());
  return (await message.promise).parts;
}
