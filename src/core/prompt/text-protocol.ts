import type { JsonValue } from '../json.ts';
import { type ContentPart, contentParts, type FilePart, type PromptMessage } from './message.ts';

/** Text format of calls for models without native tool calls. */
export type TextProtocol = 'json_actions' | 'xml' | 'loose_json';

/** Protocol for tools and calls: native to the provider, or text. */
export type ToolProtocol = 'native' | TextProtocol;

export const toolProtocols: readonly ToolProtocol[] = ['native', 'json_actions', 'xml', 'loose_json'];

/** A piece of a message in a text protocol: a part of the message, or the markup around it. */
export interface ProtocolPiece {
  readonly kind: 'said' | 'item' | 'call' | 'result' | 'frame';
  /** Index of the part in the message. */
  readonly part: number;
  readonly text: string;
}

/** A piece of a message as text, or a file between such pieces. */
export type WrittenPiece = ProtocolPiece | (FilePart & { readonly kind?: undefined });

/**
 * Renders a message in a protocol, piece by piece: calls as the model is instructed to write them, results as user text. The
 * model reads the concatenated texts of the pieces.
 */
export function protocolPieces(message: PromptMessage, protocol: TextProtocol): readonly WrittenPiece[] | undefined {
  if (message.role === 'tool') return resultPieces(message);
  if (message.role !== 'assistant') return undefined;
  return protocol === 'json_actions' ? actionPieces(message) : callPieces(message, protocol);
}

const written: Readonly<Record<TextProtocol, WeakMap<PromptMessage, PromptMessage>>> = {
  json_actions: new WeakMap(),
  xml: new WeakMap(),
  loose_json: new WeakMap(),
};

/** Renders a prompt in a protocol; caches the rendering of each message, which never changes. */
export function toProtocolPrompt(messages: readonly PromptMessage[], protocol: TextProtocol): readonly PromptMessage[] {
  return messages.map((message) => {
    const known = written[protocol].get(message);
    if (known !== undefined) return known;
    const made = toProtocolMessage(message, protocol);
    written[protocol].set(message, made);
    return made;
  });
}

function toProtocolMessage(message: PromptMessage, protocol: TextProtocol): PromptMessage {
  const pieces = protocolPieces(message, protocol);
  if (pieces === undefined) return message;
  const content = joinPieces(pieces);
  return message.role === 'tool' ? { role: 'user', content } : { role: 'assistant', content };
}

/** Joins pieces into the parts of a message, merging neighbouring texts. */
export function joinPieces(pieces: readonly WrittenPiece[]): readonly ContentPart[] {
  const content: ({ type: 'text'; text: string } | FilePart)[] = [];
  for (const piece of pieces) {
    const last = content.at(-1);
    if (piece.kind === undefined) content.push(piece);
    else if (last?.type === 'text') last.text += piece.text;
    else content.push({ type: 'text', text: piece.text });
  }
  return content;
}

/** Renders a call for `xml` and `loose_json`. */
export function writeCall(toolName: string, input: JsonValue): string {
  return safeJson({ name: toolName, arguments: input });
}

// JSON without a tag, whatever the arguments are.
function safeJson(value: JsonValue): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

type Assistant = Extract<PromptMessage, { readonly role: 'assistant' }>;

function callPieces({ content }: Assistant, protocol: 'xml' | 'loose_json'): readonly WrittenPiece[] {
  const pieces: WrittenPiece[] = [];
  const calls = content.filter((part) => part.type === 'tool-call').length;
  let call = 0;
  content.forEach((part, index) => {
    const frame = (text: string): void => void pieces.push({ kind: 'frame', part: index, text });
    if (part.type === 'file') pieces.push(part);
    else if (part.type === 'text') pieces.push({ kind: 'said', part: index, text: part.text });
    else if (part.type === 'tool-call') {
      if (call === 0 && pieces.length > 0) frame('\n\n');
      if (protocol === 'xml') frame(call === 0 ? '<tool_call>\n' : '\n<tool_call>\n');
      else if (calls > 1) frame(call === 0 ? '[' : ',\n');
      pieces.push({ kind: 'call', part: index, text: writeCall(part.toolName, part.input) });
      call += 1;
      if (protocol === 'xml') frame('\n</tool_call>');
      else if (calls > 1 && call === calls) frame(']');
    }
  });
  return pieces;
}

function actionPieces({ content }: Assistant): readonly WrittenPiece[] {
  const files = content.filter((part) => part.type === 'file');
  const said = content.findIndex((part) => part.type === 'text');
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = content.flatMap((part, index) => (part.type === 'tool-call' ? [{ part, index }] : []));
  const words: ProtocolPiece = { kind: 'said', part: Math.max(0, said), text: safeJson(text) };
  const frame = (part: number, written: string): ProtocolPiece => ({ kind: 'frame', part, text: written });
  if (calls.length === 0) return [frame(0, '{"analysis":"","reasoning":"","actions":[],"answer":'), words, frame(0, '}'), ...files];
  const actions = calls.flatMap(({ part, index }, place) => [
    ...(place === 0 ? [] : [frame(index, ',')]),
    { kind: 'call' as const, part: index, text: safeJson({ tool: part.toolName, args: part.input }) },
  ]);
  return [frame(0, '{"analysis":"","reasoning":'), words, frame(0, ',"actions":['), ...actions, frame(0, ']}'), ...files];
}

function resultPieces({ content }: Extract<PromptMessage, { readonly role: 'tool' }>): readonly WrittenPiece[] {
  return content.flatMap(({ toolName, output }, part): readonly WrittenPiece[] => {
    const status = output.type === 'error-text' ? ' status="error"' : '';
    const parts = contentParts(output.value);
    const texts = parts.flatMap((each) => (each.type === 'text' ? [each.text] : []));
    const files = parts.filter((each) => each.type === 'file');
    return [
      { kind: 'frame', part, text: `${part === 0 ? '' : '\n'}<tool_result tool="${toolName}"${status}>\n` },
      { kind: 'result', part, text: withoutTags(texts.join('')) },
      { kind: 'frame', part, text: '\n</tool_result>' },
      ...files,
    ];
  });
}

/** Escapes the tags of the protocols in a tool's result, so that a repeated result cannot make a call or close a frame. */
export function withoutTags(text: string): string {
  return text.replace(/<(?=\/?(?:tool_call|tool_result|invoke|function)\b)/gi, '&lt;');
}
