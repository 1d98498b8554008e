import type { Writable } from '../../core/json.ts';
import type { ModelReply, ModelRequest, RawToolCall } from '../../core/model/model.ts';
import { readLooseJson } from './read-loose-json.ts';
import { readXmlCalls } from './read-xml-calls.ts';
import { MAX_REPLY_CALLS } from '../adapter/reply-limits.ts';
import { brokenCall, type ReadReply, type TextCall } from './text-call.ts';
import { readJsonActions } from './read-json-actions.ts';

/**
 * Extracts the calls in a reply's text, when the request uses a text protocol, or when the LLM config accepts them from a model
 * that made no native calls. The remaining words become the text; the original text is kept beside it.
 */
export function readTextReply(reply: ModelReply, request: ModelRequest, accepts: boolean): ModelReply {
  const { textProtocol } = request;
  const mayCall = textProtocol !== undefined || (accepts && reply.toolCalls.length === 0 && request.tools.length > 0);
  if (!mayCall || reply.text === '') return reply;
  const read = textProtocol === undefined ? readAccepted(reply.text, request) : readIn(textProtocol, reply.text, request);
  if (read.calls.length === 0 && read.text === reply.text) return reply;
  const made: Writable<ModelReply> = { ...reply, text: read.text, said: reply.text };
  if (read.reasoning !== undefined && read.reasoning !== '')
    made.reasoning = [reply.reasoning, read.reasoning].filter((part) => part !== '').join('\n\n');
  if (read.calls.length > 0) {
    made.toolCalls = (read.calls.length > MAX_REPLY_CALLS ? [tooMany] : read.calls).map(toRawCall);
    if (reply.finishReason === 'stop') made.finishReason = 'tool-calls';
  }
  return made;
}

function readIn(protocol: NonNullable<ModelRequest['textProtocol']>, text: string, { tools }: ModelRequest): ReadReply {
  switch (protocol) {
    case 'xml':
      return readXmlCalls(text, tools);
    case 'json_actions':
      return readJsonActions(text);
    case 'loose_json':
      return readLooseJson(text, tools);
  }
}

const tooMany = brokenCall('', `the reply holds more than ${MAX_REPLY_CALLS} calls; none of them was run`);

/** Reads tags first, then JSON that names a tool: the forms that models with native calls fall back to. */
function readAccepted(text: string, { tools }: ModelRequest): ReadReply {
  const tagged = readXmlCalls(text, tools);
  return tagged.calls.length > 0 ? tagged : readLooseJson(text, tools);
}

function toRawCall({ toolName, input, problem }: TextCall, index: number): RawToolCall {
  const call: Writable<RawToolCall> = { providerCallId: `text_${index + 1}`, toolName, input };
  if (problem !== undefined) call.problem = problem;
  return call;
}
