import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import type { GivenVerdict } from '../threads/give-verdicts.ts';
import type { ThreadRequest } from '../threads/submit.ts';
import { checkName } from '../threads/threads.ts';

/** Input of one AG-UI run, read from a client's `RunAgentInput`. */
export interface AgUiInput {
  readonly threadId: string;
  readonly runId: string;
  readonly profile: string | undefined;
  readonly message: ThreadRequest['message'];
  readonly resume: readonly ResumeEntry[];
  /** The call whose result the last message is, if it is one. */
  readonly resultOf: string | undefined;
  /** Messages the client already has. */
  readonly messages: readonly JsonObject[];
}

/** A client's answer to an interrupt. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly isCancelled: boolean;
  readonly payload: JsonValue;
}

const most = 10_000;

/** Reads a `RunAgentInput`; ignores its state, tools and context. Fails with REQUEST_INVALID, naming the place and the allowed values. */
export function readAgUiInput(body: unknown): AgUiInput {
  if (!isJsonObject(body)) throw invalid('the body', 'must be a JSON object: { threadId, runId, messages, … }');
  const { forwardedProps } = body;
  const profile = isJsonObject(forwardedProps) ? forwardedProps['profile'] : undefined;
  if (profile !== undefined && typeof profile !== 'string')
    throw invalid('forwardedProps.profile', 'must be the name of a profile');
  const threadId = checkName(body['threadId'], 'threadId');
  const runId = checkName(body['runId'], 'runId');
  const messages = listOf(body['messages'], 'messages');
  for (const [index, { id, role }] of messages.entries()) {
    checkName(id, `messages[${index}].id`);
    if (typeof role !== 'string') throw invalid(`messages[${index}].role`, 'must be a text');
  }
  const resume = listOf(body['resume'] ?? [], 'resume').map(readEntry);
  const last = messages.at(-1);
  const message = resume.length === 0 && last?.['role'] === 'user' ? messageIn(last['content']) : undefined;
  const isResult = resume.length === 0 && last?.['role'] === 'tool' && typeof last['toolCallId'] === 'string';
  return { threadId, runId, profile, message, resume, messages, resultOf: isResult ? String(last['toolCallId']) : undefined };
}

/** Converts resume entries to verdicts: `{ approved, message?, args? }` for a call, the payload itself for a question. */
export function verdictsOf(resume: readonly ResumeEntry[], pending: readonly PendingRequest[]): readonly GivenVerdict[] {
  return resume.map(({ interruptId: id, isCancelled, payload }): GivenVerdict => {
    const kind = pending.find((request) => request.id === id)?.kind;
    if (isCancelled && kind === 'question') return { kind: 'answer', id, value: 'The user does not answer.' };
    if (isCancelled) return { kind: 'reject', id };
    const decision = isJsonObject(payload) ? payload : { approved: payload };
    const { approved, args, message } = decision;
    // Of a request that no longer waits, the payload alone says which kind it was.
    const isDecision = typeof approved === 'boolean' || (isJsonObject(payload) && approved !== undefined);
    if (kind === 'question' || (kind === undefined && !isDecision)) return { kind: 'answer', id, value: answerIn(payload) };
    if (approved === true) return { kind: 'approve', id, ...(isJsonObject(args) ? { args } : {}) };
    if (approved === false) return { kind: 'reject', id, ...(typeof message === 'string' ? { message } : {}) };
    throw invalid('resume', `of the call ${id.slice(0, 60)} needs a payload { "approved": true or false }`);
  });
}

function answerIn(payload: JsonValue): JsonValue {
  return isJsonObject(payload) && Object.keys(payload).length === 1 && payload['answer'] !== undefined
    ? payload['answer']
    : payload;
}

function readEntry({ interruptId, status, payload }: JsonObject, index: number): ResumeEntry {
  if (status !== 'resolved' && status !== 'cancelled')
    throw invalid(`resume[${index}].status`, "must be 'resolved' or 'cancelled'");
  return {
    interruptId: checkName(interruptId, `resume[${index}].interruptId`),
    isCancelled: status === 'cancelled',
    payload: payload ?? null,
  };
}

/** A message answers no question: clients of AG-UI resolve interrupts. */
function messageIn(content: JsonValue | undefined): NonNullable<ThreadRequest['message']> {
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content, 'the content of the last message');
  const text = parts
    .flatMap((part) => (part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n\n');
  const attachments = parts.flatMap((part) => (part['type'] === 'text' ? [] : [fileOf(part)]));
  if (text.trim() === '' && attachments.length === 0) throw invalid('the last message', 'has neither text nor files');
  return { text, attachments, answers: [] };
}

function fileOf({ type, source, metadata }: JsonObject): JsonObject {
  const { type: kind, value, mimeType } = isJsonObject(source) ? source : {};
  if (typeof value !== 'string' || (kind !== 'data' && kind !== 'url'))
    throw invalid(`a part of type '${String(type).slice(0, 40)}'`, 'must have a source of type data or url');
  const filename = isJsonObject(metadata) ? metadata['filename'] : undefined;
  return {
    ...(kind === 'data' ? { data: value } : { url: value }),
    ...(typeof mimeType === 'string' ? { mediaType: mimeType } : {}),
    ...(typeof filename === 'string' ? { filename } : {}),
  };
}

function listOf(value: JsonValue | undefined, place: string): readonly JsonObject[] {
  if (!Array.isArray(value) || value.length > most) throw invalid(place, `must be a list of at most ${most} objects`);
  const items = value as readonly JsonValue[];
  const wrong = items.findIndex((item) => !isJsonObject(item));
  if (wrong >= 0) throw invalid(`${place}[${wrong}]`, 'must be an object');
  return items as readonly JsonObject[];
}

function invalid(place: string, what: string): CadreError {
  return new CadreError('REQUEST_INVALID', `${place} ${what}`);
}
