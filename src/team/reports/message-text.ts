import { type MessageOrigin, type PromptMessage, type ToolResultPart, contentText } from '../../core/prompt/message.ts';
import type { StoredHistory } from '../../core/prompt/prompt.ts';
import { clipText } from './clip-text.ts';

/** Maximum length of one message shown to another agent, in characters. */
const maxMessageChars = 4_000;
/** Maximum length of all messages handed over in one list, in characters. */
const maxListChars = 60_000;

/** The part of an agent's history that others may see. */
export interface History extends StoredHistory {
  readonly origins: readonly MessageOrigin[];
}

/** A message as another agent inherits it; role `note` marks omitted messages. */
export interface HandoverMessage {
  readonly role: PromptMessage['role'] | 'note';
  readonly content: string;
}

/** Renders a message as text: words, tool calls by name and arguments, tool results. */
function messageText(message: PromptMessage): string {
  switch (message.role) {
    case 'system':
      return message.content;
    case 'user':
      return contentText(message.content);
    case 'tool':
      return message.content.map((part) => `${part.toolName}: ${resultText(part)}`).join('\n');
    case 'assistant':
      return message.content
        .flatMap((part) => {
          if (part.type === 'text') return [part.text];
          return part.type === 'tool-call' ? [`(calls ${part.toolName} with ${JSON.stringify(part.input)})`] : [];
        })
        .join('\n');
  }
}

function resultText(part: ToolResultPart): string {
  return part.output.type === 'content' ? contentText(part.output.value) : part.output.value;
}

/** Returns the words of an assistant message without its tool calls; empty for other roles. */
export function assistantWords(message: PromptMessage): string {
  if (message.role !== 'assistant') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * Returns the messages another agent may inherit, as `{ role, content }`: without those marked `noHandover`, each shortened, and
 * without the earliest when the list is too long.
 */
export function handoverMessages(history: History, count = Infinity): readonly HandoverMessage[] {
  return handedOverMessages(history, count).map(({ message }) => message);
}

/** A message that is handed over, and its place among the messages of the history in memory; a note has none. */
interface HandedOver {
  readonly message: HandoverMessage;
  readonly index?: number;
}

/** Like `handoverMessages`, with the place of each. */
export function handedOverMessages(history: History, count = Infinity): readonly HandedOver[] {
  const { messages, origins, released } = history;
  const list: HandedOver[] = [];
  let chars = 0;
  let earlier = released;
  for (let index = Math.min(count - released, messages.length) - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined || origins[index]?.noHandover === true) continue;
    const content = clipText(messageText(message), maxMessageChars);
    chars += content.length;
    if (chars > maxListChars) {
      earlier = released + index + 1;
      break;
    }
    list.push({ message: { role: message.role, content }, index });
  }
  if (earlier > 0) list.push({ message: { role: 'note', content: `[${earlier} earlier messages left out]` } });
  return list.reverse();
}

/** Renders an agent's history as one text with a role tag before each message, shortened to about `max` characters. */
export function messageDigest(history: History, max: number): string {
  return clipText(
    handoverMessages(history)
      .map((message) => `[${message.role}] ${message.content}`)
      .join('\n'),
    max,
  );
}
