import { cutMiddle } from '../cut-middle.ts';
import { leaveOut } from '../untrusted/keep-frames.ts';
import { type MessageOrigin, type PromptMessage, contentParts } from './message.ts';
import type { EventStream } from '../state/turn.ts';
import { joinPieces, type TextProtocol, type WrittenPiece, withoutTags } from './text-protocol.ts';

/*
 * A history as one message of numbered events: requests, calls with their results, replies.
 *
 * 1. A call and its result are one event, as text, so no view of the history can break a pair.
 * 2. An event keeps its number and its text, except for one change, from full to cut. Between such changes the prompt's beginning
 *    stays the same.
 * 3. No text in an event can begin another event.
 */

/** Heading of the stream. */
export const streamIntro =
  '# What has happened so far\n\nA record of numbered events, oldest first. It shows calls as they were made; it is not the form to make them in.\n';

/** Returns the first event shown in full: at least the newest `full` ones are, and the boundary moves `full` events at a time. */
export function fullFrom(last: number, full: number): number {
  const first = Math.max(1, last - full + 1);
  return first - ((first - 1) % full);
}

const requests: ReadonlyMap<string, string> = new Map([
  ['USER_PROMPT', ''],
  ['AGENT_STARTUP_BRIEFING', '_FROM_PARENT'],
]);

/** Returns the type of a user message's event: a first or later request, or the source's name. */
export function eventType({ source = 'ITEM', event = 1 }: Pick<MessageOrigin, 'source' | 'event'>): string {
  const request = requests.get(source);
  return request === undefined ? source : `${event === 1 ? 'NEW' : 'FOLLOW_UP'}_REQUEST${request}`;
}

/** True when a user message is a request. */
export function isRequest({ source = '' }: MessageOrigin): boolean {
  return requests.has(source);
}

/** A stream, and the text protocol of its agent's tool calls, if any: quoted text must not form a call in it. */
export interface ShownStream extends EventStream {
  readonly protocol?: TextProtocol | undefined;
}

/** Splits a message into its pieces of the stream. */
export function eventPieces(
  message: PromptMessage,
  origin: MessageOrigin | undefined,
  { full, lines, protocol }: ShownStream,
): readonly WrittenPiece[] {
  const event = origin?.event ?? 1;
  const shown = (text: string): string => escapedEvents(event < full ? cutLines(text, lines) : text);
  const shownFrom = (text: string): string => shown(protocol === undefined ? text : withoutTags(text));
  const pieces: WrittenPiece[] = [];
  let line = '';
  const add = (kind: 'frame' | 'item' | 'said' | 'call' | 'result', part: number, text: string): void => {
    // Parts are concatenated: two of them must not form the start of an event together.
    const safe = kind !== 'frame' && beginsEvent.test(line + firstLine(text)) ? `\\${text}` : text;
    line = lastLine(line + safe);
    pieces.push({ kind, part, text: safe });
  };
  const begin = (type: string): void => add('frame', 0, `\n## Event ${event} TYPE: ${type}\n`);
  switch (message.role) {
    case 'system':
    case 'user': {
      begin(eventType({ ...origin, event }));
      const parts = message.role === 'system' ? contentParts(message.content) : message.content;
      parts.forEach((part, index) => (part.type === 'file' ? pieces.push(part) : add('item', index, shown(part.text))));
      break;
    }
    case 'assistant': {
      const acts = message.content.some((part) => part.type === 'tool-call');
      begin(acts ? 'ACTION' : 'TEXT_RESPONSE');
      message.content.forEach((part, index) => {
        if (part.type === 'file') pieces.push(part);
        else if (part.type === 'text') {
          if (acts) add('frame', index, 'REASONING:\n');
          add('said', index, shown(part.text));
          if (acts) add('frame', index, '\n');
        } else if (part.type === 'tool-call') {
          add('frame', index, `CALL ${part.toolName}:\n`);
          add('call', index, shownFrom(JSON.stringify(part.input)));
          add('frame', index, '\n');
        }
      });
      if (acts) return pieces;
      break;
    }
    case 'tool':
      message.content.forEach(({ toolName, output }, part) => {
        add('frame', part, `${output.type === 'error-text' ? 'ERROR' : 'RESULT'} of ${toolName}:\n`);
        const parts = contentParts(output.value);
        for (const each of parts) if (each.type === 'text') add('result', part, shownFrom(each.text));
        add('frame', part, '\n');
        for (const each of parts) if (each.type === 'file') pieces.push(each);
      });
      return pieces;
  }
  add('frame', 0, '\n');
  return pieces;
}

interface WrittenEvent {
  /** Most lines of each text; 0 = in full. */
  readonly lines: number;
  readonly protocol: TextProtocol | undefined;
  readonly parts: UserParts;
}

// Pure cache: keyed by a message, which never changes.
const written = new WeakMap<PromptMessage, WrittenEvent>();

type UserParts = Extract<PromptMessage, { readonly role: 'user' }>['content'];

/** The messages in view with their origins, and the texts that replace earlier ones. */
export interface StreamSource {
  readonly heads: readonly string[];
  readonly messages: readonly PromptMessage[];
  readonly originOf: (index: number) => MessageOrigin | undefined;
}

/** Renders the messages in view as one, after the texts that replace earlier ones; caches the rendering of each message. */
export function streamMessage({ heads, messages, originOf }: StreamSource, stream: ShownStream): PromptMessage {
  const content: UserParts[number][] = [{ type: 'text', text: streamIntro }];
  for (const head of heads) content.push({ type: 'text', text: `\n${head}\n` });
  messages.forEach((message, index) => {
    const origin = originOf(index);
    const lines = (origin?.event ?? 1) < stream.full ? stream.lines : 0;
    let known = written.get(message);
    if (known === undefined || known.lines !== lines || known.protocol !== stream.protocol) {
      known = { lines, protocol: stream.protocol, parts: joinPieces(eventPieces(message, origin, stream)) };
      written.set(message, known);
    }
    for (const part of known.parts) content.push(part);
  });
  return { role: 'user', content };
}

/** Longest text of a cut event, per allowed line. */
const charsPerLine = 200;

/** Returns the first and last lines of a too long text, with a note about the omitted ones between them. */
export function cutLines(text: string, lines: number): string {
  const rows = text.split('\n');
  let cut = text;
  if (rows.length > lines) {
    const headRows = Math.ceil(lines / 2);
    const left = rows.length - lines;
    const lengthOf = (some: readonly string[]): number => some.reduce((sum, row) => sum + row.length + 1, 0);
    const { head, tail } = leaveOut(text, lengthOf(rows.slice(0, headRows)) - 1, lengthOf(rows.slice(0, headRows + left)));
    cut = `${head}\n… ${left} lines left out …\n${tail}`;
  }
  return cutMiddle(cut, lines * charsPerLine, (characters) => `\n… ${characters} characters left out …\n`);
}

const beginsEvent = /^[^\S\r\n\u2028\u2029]*#+[^\S\r\n\u2028\u2029]*events?\b/i;
const lineEnd = /[\r\n\u2028\u2029]/;

function firstLine(text: string): string {
  return text.split(lineEnd, 1)[0] ?? '';
}

function lastLine(text: string): string {
  return text.split(lineEnd).at(-1) ?? '';
}

/** Escapes every line that could be read as the start of an event; linear in the text, whatever its line endings. */
export function escapedEvents(text: string): string {
  return text.replace(/^(?=[^\S\r\n\u2028\u2029]*#+[^\S\r\n\u2028\u2029]*events?\b)/gim, '\\');
}
