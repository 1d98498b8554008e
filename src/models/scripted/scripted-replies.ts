import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import { createScriptedStream, pause, untilAborted, type ScriptedStreamOptions, toReplyParts } from './scripted-stream.ts';
import type { ScriptedHttpError, ScriptedReply } from './scripted-reply.ts';
import { closestName } from '../../core/expression/closest-name.ts';

/** Request that a scripted model received in one call. `prompt` is the very array it was given. */
export type ScriptedRequest = LanguageModelV4CallOptions;

/** Returns the reply for a request, or its text alone; `index` counts the calls from 0. */
export type ScriptedReplyFunction = (
  request: ScriptedRequest,
  index: number,
) => ScriptedReply | string | Promise<ScriptedReply | string>;

/** Model object that answers from a list. */
export interface ScriptedRepliesModel extends LanguageModelV4 {
  /** The requests so far, oldest first. */
  readonly requests: readonly ScriptedRequest[];
}

/** Options of a model that answers from a list. */
export interface ScriptedRepliesOptions {
  readonly modelId?: string;
  /** Number of newest requests to keep; all by default. */
  readonly keepRequests?: number;
}

/**
 * Creates a model for tests that answers from a list, one reply per call, or from one function for all calls. Replies can be
 * faults: an error, a cut stream, silence. A call beyond the last reply fails with a lasting error.
 *
 * @throws TypeError for an invalid reply in the list, or one with unknown fields
 */
export function scriptedModel(
  replies: ScriptedReplyFunction | readonly (ScriptedReply | string | ScriptedReplyFunction)[],
  options: ScriptedRepliesOptions = {},
): ScriptedRepliesModel {
  const { modelId = 'scripted', keepRequests = Number.POSITIVE_INFINITY } = options;
  const list =
    typeof replies === 'function'
      ? undefined
      : replies.map((reply, index) => (typeof reply === 'function' ? reply : toScriptedReply(reply, `reply ${index + 1}`)));
  const requests: ScriptedRequest[] = [];
  let calls = 0;
  const nextReply = async (request: ScriptedRequest): Promise<ScriptedReply> => {
    const index = calls;
    calls += 1;
    // A long prompt is one list that later calls extend.
    requests.push({ ...request, prompt: [...request.prompt] });
    if (requests.length > keepRequests) requests.shift();
    const reply = typeof replies === 'function' ? replies : list?.[index];
    if (reply === undefined) throw noReplyLeft(list?.length ?? 0, index);
    return typeof reply === 'function' ? toScriptedReply(await reply(request, index), `reply ${index + 1}`) : reply;
  };
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId,
    supportedUrls: { '*/*': [/^/] },
    requests,
    async doStream(request) {
      return { stream: await openReply(await nextReply(request), request.abortSignal) };
    },
    doGenerate() {
      return Promise.reject(new Error('A scripted model only streams: call doStream, or streamText instead of generateText.'));
    },
  };
}

async function openReply(
  reply: ScriptedReply,
  abortSignal: AbortSignal | undefined,
): Promise<LanguageModelV4StreamResult['stream']> {
  const signal = reply.ignoreAbort === true ? undefined : abortSignal;
  const delayMs = reply.delayMs ?? 0;
  if (reply.error !== undefined) {
    if (delayMs > 0) await pause(delayMs, signal);
    throw reply.error instanceof Error ? reply.error : toProviderError(reply.error);
  }
  if (reply.hang === true && reply.cutAfter === undefined) return untilAborted(signal);
  const parts = reply.parts ?? toReplyParts(reply);
  const { cutAfter } = reply;
  if (cutAfter === undefined) return createScriptedStream({ parts, ending: { kind: 'close' }, delayMs, signal });
  const kept = parts.slice(0, cutAfter);
  if (reply.cutWith === 'error')
    kept.push({ type: 'error', error: { message: 'the scripted stream failed', type: 'server_error' } });
  return createScriptedStream({ parts: kept, ending: toEnding(reply), delayMs, signal });
}

function toEnding(reply: ScriptedReply): ScriptedStreamOptions['ending'] {
  if (reply.hang === true) return { kind: 'hang' };
  if (reply.cutWith !== 'reset') return { kind: 'close' };
  return {
    kind: 'break',
    error: new TypeError('terminated', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) }),
  };
}

/** Builds an error with the fields of the AI SDK's `APICallError`. */
function toProviderError({ status, message, headers, body }: ScriptedHttpError): Error {
  return Object.assign(new Error(message ?? `HTTP ${status}`), {
    name: 'AI_APICallError',
    statusCode: status,
    isRetryable: status === 408 || status === 409 || status === 429 || status >= 500,
    responseHeaders: headers ?? {},
    responseBody: body ?? '',
  });
}

function noReplyLeft(count: number, index: number): Error {
  const error = new Error(`The scripted model has ${count} replies, and none for call number ${index + 1}.`);
  // A retry would find no reply either.
  return Object.assign(error, { isRetryable: false });
}

const fields: Readonly<Record<keyof ScriptedReply, true>> = {
  text: true,
  reasoning: true,
  toolCalls: true,
  finishReason: true,
  usage: true,
  error: true,
  cutAfter: true,
  cutWith: true,
  hang: true,
  ignoreAbort: true,
  delayMs: true,
  parts: true,
};

/**
 * Converts a text or object to a reply. `where` names it in messages: `reply 2`.
 *
 * @throws TypeError for an invalid reply or unknown fields: a double that answers nothing by mistake would let a test pass or fail
 * for another reason
 */
function toScriptedReply(reply: unknown, where: string): ScriptedReply {
  if (typeof reply === 'string') return { text: reply };
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply))
    throw unusable(`${where} of the scripted model is ${reply === null ? 'null' : typeof reply}; a reply is a text or an object`);
  for (const field of Object.keys(reply))
    if (!Object.hasOwn(fields, field)) {
      const meant = closestName(field, Object.keys(fields));
      const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
      throw unusable(
        `${where} of the scripted model has a field '${field}'${hint}; a reply has any of ${Object.keys(fields).join(', ')}`,
      );
    }
  return reply;
}

function unusable(message: string): TypeError {
  // A retry would give the same.
  return Object.assign(new TypeError(message), { isRetryable: false });
}
