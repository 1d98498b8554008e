import type { CallId, TurnId } from '../ids.ts';
import { type Content, type MessageOrigin, type PromptMessage, type ToolResultPart, contentParts, contentText } from './message.ts';
import { streamMessage } from './history-stream.ts';
import type { PromptHead, TurnInput, TurnPrompt } from '../state/turn.ts';

/** Separator between a prepended note and its message (A1.3). */
export const prependSeparator = '\n\n---\n\n';

/** Separator between two segments of a system prompt. */
export const segmentSeparator = '\n\n';

/** A message and its origin, as stored in an agent's history. */
export interface StoredMessage {
  readonly message: PromptMessage;
  readonly origin: MessageOrigin;
}

/** A history whose oldest messages may have been released: `messages[i]` is its message `released + i`. */
export interface StoredHistory {
  readonly messages: readonly PromptMessage[];
  readonly origins?: readonly MessageOrigin[];
  readonly released: number;
}

/** Ids of calls in history, by the engine's id; a call that is absent has the engine's. */
export type WireIds = ReadonlyMap<string, string>;

/** Converts the result of one tool call to the form that a provider expects. */
function toolResultPart(input: TurnInput, wireIds: WireIds | undefined): ToolResultPart {
  const { callId, content, wireName: toolName = '' } = input;
  const wireId = callId === undefined ? undefined : wireIds?.get(callId);
  const output: ToolResultPart['output'] =
    typeof content !== 'string'
      ? { type: 'content', value: content }
      : { type: input.isError === true ? 'error-text' : 'text', value: content };
  return callId === undefined || wireId === undefined
    ? { type: 'tool-result', toolCallId: callId ?? '', toolName, output }
    : { type: 'tool-result', toolCallId: wireId, callId, toolName, output };
}

/**
 * Returns the messages that a turn adds to its agent's history: one per persistent input, except that neighbouring tool results
 * share one message, so that the results of one reply follow it directly (I1). Results have the ids of their calls.
 */
export function messagesOfInputs(inputs: readonly TurnInput[], turnId: TurnId, wireIds?: WireIds): readonly StoredMessage[] {
  const stored: StoredMessage[] = [];
  for (let index = 0; index < inputs.length; index++) {
    const input = inputs[index];
    if (input === undefined || !input.persistent) continue;
    if (input.role !== 'tool') {
      stored.push(userMessage(input, turnId));
      continue;
    }
    const from = index;
    for (let next = inputs[index + 1]; next?.role === 'tool' && next.persistent; next = inputs[index + 1]) index++;
    stored.push(
      index === from ? resultMessage(input, turnId, wireIds) : resultsMessage(inputs.slice(from, index + 1), turnId, wireIds),
    );
  }
  return stored;
}

const none: readonly never[] = [];

function resultMessage(input: TurnInput, turnId: TurnId, wireIds: WireIds | undefined): StoredMessage {
  return {
    message: { role: 'tool', content: [toolResultPart(input, wireIds)] },
    origin: { turnId, itemIds: [input.itemId], callIds: [(input.callId ?? '') as CallId], event: 0 },
  };
}

/** Puts the results of one reply in the order of its calls, not of arrival; call ids grow with the calls. */
function resultsMessage(arrived: readonly TurnInput[], turnId: TurnId, wireIds: WireIds | undefined): StoredMessage {
  const group = arrived.toSorted((a, b) => ((a.callId ?? '') < (b.callId ?? '') ? -1 : 1));
  return {
    message: { role: 'tool', content: group.map((input) => toolResultPart(input, wireIds)) },
    origin: {
      turnId,
      itemIds: group.map((input) => input.itemId),
      callIds: group.map((input) => (input.callId ?? '') as CallId),
      event: 0,
    },
  };
}

function userMessage(input: TurnInput, turnId: TurnId): StoredMessage {
  const origin = { turnId, itemIds: [input.itemId], callIds: none, event: 0, source: input.source };
  return {
    message: { role: 'user', content: contentParts(input.content) },
    origin: input.noHandover === true ? { ...origin, noHandover: true } : origin,
  };
}

/** Parts of a turn's prompt. */
export interface PromptParts {
  readonly systemText: string;
  readonly history: StoredHistory;
  readonly range: Pick<TurnPrompt, 'from' | 'to' | 'stream' | 'protocol'>;
  readonly inputs: readonly TurnInput[];
  /** Texts that replace omitted messages, oldest first. */
  readonly heads?: readonly string[];
}

/**
 * Assembles the prompt of a turn as it is sent: the system text (if any), the texts that replace omitted messages (if any), the
 * stored messages `from` to `to`, then the ephemeral inputs. A `prepend_to_role` input goes in front of a copy of the last
 * message if that message has its role, and becomes a message otherwise; stored messages are never edited (I11). As a stream of
 * events, everything between system text and ephemeral inputs is one message, and no input is prepended to it.
 */
export function assemblePrompt({ systemText, history, range, inputs, heads = none }: PromptParts): PromptMessage[] {
  const { messages } = history;
  const from = range.from - history.released;
  const to = range.to - history.released;
  const view = from === 0 && to === messages.length ? messages : messages.slice(from, to);
  const system: PromptMessage[] = systemText === '' ? [] : [{ role: 'system', content: systemText }];
  const { stream } = range;
  if (stream === undefined) for (const head of heads) system.push(headMessage(head));
  const streamed =
    stream === undefined
      ? undefined
      : streamMessage(
          { heads, messages: view, originOf: (index) => history.origins?.[from + index] },
          { ...stream, protocol: range.protocol },
        );
  const prompt = system.concat(streamed ?? view);
  for (const input of inputs) {
    if (input.persistent) continue;
    const last = prompt.at(-1);
    if (input.mode === 'prepend_to_role' && last?.role === 'user' && last !== streamed) {
      prompt[prompt.length - 1] = prependedTo(last, input.content);
    } else {
      prompt.push({ role: 'user', content: contentParts(input.content) });
    }
  }
  return prompt;
}

/** Returns the texts that replace omitted messages of a prompt, oldest first. */
export function headsOf({ head, headSeq, earlier = none }: Pick<TurnPrompt, keyof PromptHead | 'earlier'>): readonly PromptHead[] {
  if (head === undefined) return none;
  return [...earlier, headSeq === undefined ? { head } : { head, headSeq }];
}

/** Wraps a text that replaces omitted messages. */
function headMessage(text: string): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function prependedTo(message: Extract<PromptMessage, { role: 'user' }>, content: Content): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text: contentText(content) + prependSeparator }, ...message.content] };
}
