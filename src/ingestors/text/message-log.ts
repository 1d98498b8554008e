import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { clipLine } from './cap-content.ts';

/** Contents of one message of a history, in pieces; read from prompt messages and from the `{ role, content }` of handovers. */
export interface LoggedMessage {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: JsonValue }[];
}

/** Reads a list as messages; undefined when an item is none. */
export function readMessages(value: JsonValue | undefined): readonly LoggedMessage[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const messages: LoggedMessage[] = [];
  for (const item of value as readonly JsonValue[]) {
    const message = isJsonObject(item) ? readMessage(item) : undefined;
    if (message === undefined) return undefined;
    messages.push(message);
  }
  return messages;
}

function readMessage(item: JsonObject): LoggedMessage | undefined {
  const { role, content } = item;
  if (typeof role !== 'string') return undefined;
  if (typeof content === 'string') return { role, text: content, calls: [] };
  if (!Array.isArray(content)) return undefined;
  const parts = (content as readonly JsonValue[]).filter(isJsonObject);
  return {
    role,
    text: parts
      .map(partText)
      .filter((text) => text !== '')
      .join('\n'),
    calls: parts.filter((part) => part['type'] === 'tool-call').map(readCall),
  };
}

function partText(part: JsonObject): string {
  switch (part['type']) {
    case 'text':
      return String(part['text'] ?? '');
    case 'file':
      return `[file ${String(part['filename'] ?? part['mediaType'] ?? '')}]`;
    case 'tool-result':
      return `${String(part['toolName'])}: ${outputText(part['output'])}`;
    default:
      return '';
  }
}

function outputText(output: JsonValue | undefined): string {
  const value = isJsonObject(output) ? output['value'] : output;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).filter(isJsonObject).map(partText).join('\n');
  return JSON.stringify(value ?? null);
}

function readCall(part: JsonObject): LoggedMessage['calls'][number] {
  return { name: String(part['toolName']), input: part['input'] ?? null };
}

/** A message on a few lines: its role, its words, its calls, each clipped to a length. */
export function messageLines(
  message: LoggedMessage,
  limits: { readonly content: number; readonly args: number },
): readonly string[] {
  const text = clipLine(message.text, limits.content);
  const words = text === '' && message.calls.length > 0 ? [] : [`[${message.role}] ${text === '' ? '(no text)' : text}`];
  return [
    ...words,
    ...message.calls.map((call) => `[${message.role}] calls ${call.name}(${clipLine(JSON.stringify(call.input), limits.args)})`),
  ];
}

/** A history in full, every message under its role. */
export function messageTranscript(messages: readonly LoggedMessage[]): string {
  return messages
    .map((message) => {
      const calls = message.calls.map((call) => `(calls ${call.name} with ${JSON.stringify(call.input)})`);
      return `[${message.role}]\n${[message.text, ...calls].filter((text) => text !== '').join('\n')}`;
    })
    .join('\n\n');
}
