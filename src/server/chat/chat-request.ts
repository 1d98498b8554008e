import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { checkName } from '../threads/threads.ts';

/** What a client of the AI SDK wants. */
export interface ChatRequest {
  readonly id: string;
  /** The profile a new chat begins with. */
  readonly profile: string | undefined;
  /** What the user says, unless the client only hands in verdicts. */
  readonly said: { readonly text: string; readonly attachments: readonly JsonObject[] } | undefined;
  /** The message that the answer goes on with: what a verdict is about. */
  readonly continues: string | undefined;
  /** How the user decided over calls, by call id, and what is an answer to a question. Most of them are of the past. */
  readonly approvals: readonly { readonly id: string; readonly approved: boolean; readonly reason: string | undefined }[];
  readonly outputs: readonly { readonly callId: string; readonly output: JsonValue }[];
}

const mostMessages = 10_000;

/** Reads the body that the default transport of the AI SDK sends. Fails with REQUEST_INVALID, saying where and what is allowed. */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isJsonObject(body)) throw invalid('the body', 'must be a JSON object: { id, messages, trigger }');
  const { profile, trigger = 'submit-message', messageId, messages } = body;
  const id = checkName(body['id'], 'id');
  if (profile !== undefined && typeof profile !== 'string') throw invalid('profile', 'must be the name of a profile');
  if (messageId !== undefined && typeof messageId !== 'string') throw invalid('messageId', 'must be a text');
  if (trigger === 'regenerate-message')
    throw invalid(
      'trigger',
      "cannot be 'regenerate-message': what a run did stays on record. Say what should be different, or fork the run",
    );
  if (trigger !== 'submit-message') throw invalid('trigger', "must be 'submit-message'");
  const read = readMessages(messages);
  const last = read.at(-1);
  if (last === undefined) throw invalid('messages', 'must have at least one message');
  const answers = read.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts);
  const verdicts = { approvals: answers.flatMap(approvalOf), outputs: answers.flatMap(outputOf) };
  const continued = read.find((message) => message.role === 'assistant' && message.id === messageId);
  if (last.role === 'assistant' || continued !== undefined)
    return { id, profile, said: undefined, continues: (continued ?? last).id, ...verdicts };
  if (messageId !== undefined)
    throw invalid(
      'messageId',
      'names a message that was sent before: what was said stays on record. Send a new message, or fork the run',
    );
  return { id, profile, said: saidIn(last), continues: undefined, ...verdicts };
}

interface ReadMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly JsonObject[];
}

function readMessages(value: JsonValue | undefined): readonly ReadMessage[] {
  if (!Array.isArray(value) || value.length > mostMessages)
    throw invalid('messages', `must be a list of at most ${mostMessages} messages: { id, role, parts }`);
  return (value as readonly JsonValue[]).map((message, index): ReadMessage => {
    const place = `messages[${index}]`;
    if (!isJsonObject(message)) throw invalid(place, 'must be a message: { id, role, parts }');
    const { id, role, parts } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      throw invalid(`${place}.role`, "must be 'user', 'assistant' or 'system'");
    if (!Array.isArray(parts)) throw invalid(`${place}.parts`, 'must be a list of parts');
    const unusable = (parts as readonly JsonValue[]).findIndex((part) => !isJsonObject(part) || typeof part['type'] !== 'string');
    if (unusable >= 0) throw invalid(`${place}.parts[${unusable}]`, 'must be an object with a type');
    return { id: checkName(id, `${place}.id`), role, parts: parts as readonly JsonObject[] };
  });
}

function saidIn({ role, parts }: ReadMessage): NonNullable<ChatRequest['said']> {
  if (role !== 'user')
    throw invalid('messages', 'must end in a message of the user, or in one of the assistant that waits for a verdict');
  const texts = parts.flatMap((part) => (part['type'] === 'text' ? [textOf(part)] : []));
  const attachments = parts.flatMap((part) => (part['type'] === 'file' ? [fileOf(part)] : []));
  const text = texts.join('\n\n');
  if (text.trim() === '' && attachments.length === 0) throw invalid('the last message', 'has neither text nor files');
  return { text, attachments };
}

function textOf({ text }: JsonObject): string {
  if (typeof text === 'string') return text;
  throw invalid('a text part', 'must have a text');
}

function fileOf({ url, mediaType, filename }: JsonObject): JsonObject {
  if (typeof url !== 'string') throw invalid('a file part', 'must have a url: http, https or data');
  return {
    url,
    ...(typeof mediaType === 'string' ? { mediaType } : {}),
    ...(typeof filename === 'string' ? { filename } : {}),
  };
}

function approvalOf({ state, approval }: JsonObject): ChatRequest['approvals'] {
  if (state !== 'approval-responded' || !isJsonObject(approval)) return [];
  const { id, approved, reason } = approval;
  if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
  return [{ id, approved, reason: typeof reason === 'string' ? reason : undefined }];
}

function outputOf({ state, toolCallId, output, errorText }: JsonObject): ChatRequest['outputs'] {
  if (typeof toolCallId !== 'string') return [];
  if (state === 'output-available') return [{ callId: toolCallId, output: output ?? null }];
  return state === 'output-error' ? [{ callId: toolCallId, output: errorText ?? null }] : [];
}

function invalid(place: string, what: string): CadreError {
  return new CadreError('REQUEST_INVALID', `${place} ${what}`);
}
