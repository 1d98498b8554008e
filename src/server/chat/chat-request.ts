import type { UIMessage } from 'ai';
import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { GivenVerdict } from '../threads/give-verdicts.ts';
import type { ThreadMessage } from '../threads/submit.ts';
import { checkName } from '../threads/threads.ts';

const mostMessages = 10_000;

/** A chat request from a client of the AI SDK. */
export interface ChatRequest {
  readonly id: string;
  /** Profile of a new chat. */
  readonly profile: string | undefined;
  /** Message of the user; undefined when the client only sends verdicts. */
  readonly message: ThreadMessage | undefined;
  /** Id of the assistant message that the answer continues, when the request is a verdict about it. */
  readonly continues: string | undefined;
  /** The user's verdicts in the message that this request answers, by the ids of the requests it shows. */
  readonly verdicts: readonly GivenVerdict[];
}

/** Reads the body that the default transport of the AI SDK sends. Fails with REQUEST_INVALID, naming the place and the allowed values. */
export async function readChatRequest(body: unknown): Promise<ChatRequest> {
  if (!isJsonObject(body)) throw invalid('the body', 'must be a JSON object: { id, messages, trigger }');
  const { profile, trigger = 'submit-message', messageId } = body;
  const id = checkName(body['id'], 'id');
  if (profile !== undefined && typeof profile !== 'string') throw invalid('profile', 'must be the name of a profile');
  if (messageId !== undefined && typeof messageId !== 'string') throw invalid('messageId', 'must be a text');
  if (trigger === 'regenerate-message')
    throw invalid(
      'trigger',
      "cannot be 'regenerate-message': turns of a run cannot be undone. Send a message that says what to change, or fork the run",
    );
  if (trigger !== 'submit-message') throw invalid('trigger', "must be 'submit-message'");
  const messages = await checkMessages(body['messages']);
  const last = messages.at(-1);
  if (last === undefined) throw invalid('messages', 'must have at least one message');
  const continued = messages.find((message) => message.role === 'assistant' && message.id === messageId);
  // Earlier messages are history: what a person decided in them was decided then.
  const answered = continued ?? messages.findLast(({ role }) => role === 'assistant');
  const verdicts = (answered?.parts ?? []).flatMap(verdictOf);
  if (last.role === 'assistant' || continued !== undefined)
    return { id, profile, message: undefined, continues: (continued ?? last).id, verdicts };
  if (messageId !== undefined)
    throw invalid('messageId', 'names an earlier message, which cannot be changed. Send a new message, or fork the run');
  const named = body['answers'];
  if (named !== undefined && typeof named !== 'string') throw invalid('answers', 'must be the id of a question that waits');
  const answers = named === undefined ? (answered?.parts ?? []).flatMap(questionOf) : [named];
  return { id, profile, message: { ...messageIn(last), answers }, continues: undefined, verdicts };
}

type Part = UIMessage['parts'][number];

function messageIn({ role, parts }: UIMessage): Omit<ThreadMessage, 'answers'> {
  if (role !== 'user')
    throw invalid('messages', 'must end with a message of the user, or with one of the assistant that waits for a verdict');
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const attachments = parts.flatMap((part) => (part.type === 'file' ? [attachmentOf(part)] : []));
  if (text.trim() === '' && attachments.length === 0) throw invalid('the last message', 'has neither text nor files');
  return { text, attachments };
}

function attachmentOf({ url, mediaType, filename }: Extract<Part, { type: 'file' }>): JsonObject {
  return { url, mediaType, ...(filename === undefined ? {} : { filename }) };
}

/** Returns the user's decision about a call, or the answer to its question, if a part holds one. */
function verdictOf(part: Part): readonly GivenVerdict[] {
  if (!('toolCallId' in part)) return [];
  if (part.state === 'approval-responded') {
    const { id, approved, reason } = part.approval;
    if (approved) return [{ kind: 'approve', id }];
    return [{ kind: 'reject', id, ...(reason === undefined ? {} : { message: reason }) }];
  }
  // Present as long as the question waits: the output that the server sends takes it away.
  const id = part.toolMetadata?.['asking'];
  if (typeof id !== 'string') return [];
  // The body was JSON, and so is the output.
  if (part.state === 'output-available') return [{ kind: 'answer', id, value: (part.output ?? null) as JsonValue }];
  return part.state === 'output-error' ? [{ kind: 'answer', id, value: part.errorText }] : [];
}

/** Returns the id of a question that a part shows as open. */
function questionOf(part: Part): readonly string[] {
  if (part.type !== 'data-question' || !isJsonObject(part.data)) return [];
  const { id, isOpen } = part.data;
  return isOpen === true && typeof id === 'string' ? [id] : [];
}

function invalid(place: string, what: string): CadreError {
  return new CadreError('REQUEST_INVALID', `${place} ${what}`);
}

/**
 * Checks the messages of a client with the AI SDK's own schema.
 *
 * @throws CadreError `REQUEST_INVALID` with the place of the first value that does not fit, and what fits there
 */
async function checkMessages(messages: JsonValue | undefined): Promise<readonly UIMessage[]> {
  if (!Array.isArray(messages) || messages.length > mostMessages)
    throw invalid('messages', `must be a list of at most ${mostMessages} messages: { id, role, parts }`);
  // The schema of `ai` says the same in more words.
  if (messages.length === 0) throw invalid('messages', 'must have at least one message');
  const { safeValidateUIMessages } = await import('ai');
  const checked = await safeValidateUIMessages({ messages });
  if (checked.success) return checked.data;
  throw new CadreError('REQUEST_INVALID', `${describeIssue(checked.error)}. A message of the AI SDK is { id, role, parts }`);
}

/** Describes the first problem the schema found, with its place. The error's own message contains all messages. */
function describeIssue({ cause }: Error): string {
  const issues: unknown = cause instanceof Error ? Reflect.get(cause, 'issues') : undefined;
  const issue: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (!isJsonObject(issue) || !Array.isArray(issue['path'])) return 'messages cannot be checked: they are nested too deeply';
  const path = (issue['path'] as readonly (string | number)[]).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  const { options } = issue;
  const allowed = Array.isArray(options) ? ` (one of: ${options.join(', ')})` : '';
  return `messages${path.join('')}: ${String(issue['message'])}${allowed}`;
}
