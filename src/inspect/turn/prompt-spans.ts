import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import type { ContentHash } from '../../core/ids.ts';
import {
  type PromptPart,
  type ContentPart,
  type FilePart,
  type MessageOrigin,
  type PromptMessage,
  type ToolCallPart,
  type ToolResultPart,
  contentParts,
  contentText,
} from '../../core/prompt/message.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import { prependSeparator, segmentSeparator } from '../../core/prompt/prompt.ts';
import { protocolPieces, type TextProtocol } from '../../core/prompt/text-protocol.ts';
import { eventPieces, streamIntro } from '../../core/prompt/history-stream.ts';
import type { EventStream, TurnInput } from '../../core/state/turn.ts';
import { partText, resultParts } from './prompt-text.ts';
import type { SystemPromptView } from './system-prompt.ts';
import type { History } from './turn-history.ts';

/** Kind of a prompt span; `join` is text the engine put between two others, `head` replaces left-out messages. */
export type SpanSource = 'segment' | 'head' | 'item' | 'tool_result' | 'reply' | 'reasoning' | 'tool_call' | 'join';

/** A piece of a prompt with one origin. */
export interface PromptSpan {
  readonly source: SpanSource;
  /** The segment's id, the inbox item's id, the call's id, the turn's id (for replies), or an event's number (for a head). */
  readonly ref: string;
  readonly role: PromptMessage['role'];
  /** Index of its message in the prompt that was sent. */
  readonly messageIndex: number;
  /** Range in the prompt's text: start (inclusive), end (exclusive). */
  readonly range: readonly [number, number];
  /** Estimated tokens. */
  readonly tokens: number;
  readonly text: string;
  readonly hash?: ContentHash;
  /** Occurs only in this turn's prompt. */
  readonly ephemeral?: boolean;
  /** Place of its declaration in the profile. */
  readonly origin?: SourceRef;
  /** The turn that read the item, or gave the reply. */
  readonly turnId?: string;
  readonly callId?: string;
  /** A file, which has no text. */
  readonly file?: { readonly mediaType: string; readonly filename?: string };
}

/** Parts a prompt is assembled from. */
export interface SpanParts {
  readonly system: SystemPromptView;
  /** Texts that replace left-out messages, and the events they came from. */
  readonly heads?: readonly { readonly text: string; readonly hash: ContentHash; readonly seq: number | undefined }[];
  readonly history: History;
  readonly from: number;
  readonly to: number;
  readonly inputs: readonly TurnInput[];
  readonly turnId: string;
  /** Protocol for calls and results written as text. */
  readonly protocol?: TextProtocol | undefined;
  /** Event stream that renders history. */
  readonly stream?: EventStream | undefined;
}

type SpanDraft = Pick<PromptSpan, 'source' | 'ref' | 'text'> & Partial<PromptSpan>;

/**
 * Returns the spans of a prompt. Their texts, concatenated, equal `promptText` of the messages that `assemblePrompt` builds from
 * the same parts, byte for byte (I10).
 */
export function promptSpans(parts: SpanParts): readonly PromptSpan[] {
  const messages: MessageSpans[] = [];
  const system = systemSpans(parts.system);
  if (system.length > 0) messages.push({ role: 'system', spans: system });
  const { history, stream } = parts;
  const heads = (parts.heads ?? []).map(({ text, hash, seq }): SpanDraft => ({
    source: 'head',
    ref: String(seq ?? ''),
    text,
    hash,
  }));
  if (stream === undefined) for (const head of heads) messages.push({ role: 'user', spans: [head] });
  const events = stream === undefined ? undefined : [join(streamIntro), ...heads.flatMap((head) => [join('\n'), head, join('\n')])];
  if (events !== undefined) messages.push({ role: 'user', spans: events });
  const from = Math.max(parts.from - history.released, 0);
  const to = Math.min(parts.to - history.released, history.messages.length);
  for (let index = from; index < to; index++) {
    const message = history.messages[index];
    if (message === undefined) continue;
    const origin = history.origins[index];
    if (stream === undefined) messages.push(storedMessage(message, origin, parts.protocol));
    else
      for (const piece of eventPieces(message, origin, { ...stream, protocol: parts.protocol }))
        events?.push(writtenSpan(message, piece, origin));
  }
  const isStream = stream !== undefined;
  for (const input of parts.inputs)
    if (!input.persistent) addEphemeral(messages, input, parts.turnId, isStream && messages.at(-1)?.spans === events);
  return placed(messages);
}

interface MessageSpans {
  readonly role: PromptMessage['role'];
  readonly spans: readonly SpanDraft[];
}

function systemSpans(system: SystemPromptView): readonly SpanDraft[] {
  const spans: SpanDraft[] = [];
  for (const segment of system.segments) {
    if (segment.text === '') continue;
    if (spans.length > 0) spans.push({ source: 'join', ref: segment.id, text: segmentSeparator });
    spans.push({
      source: 'segment',
      ref: segment.id,
      text: segment.text,
      ...(segment.hash === undefined ? {} : { hash: segment.hash }),
      ...(segment.source === undefined ? {} : { origin: segment.source }),
    });
  }
  return spans;
}

function storedMessage(
  message: PromptMessage,
  origin: MessageOrigin | undefined,
  protocol: TextProtocol | undefined,
): MessageSpans {
  const pieces = protocol === undefined ? undefined : protocolPieces(message, protocol);
  if (pieces === undefined) return { role: message.role, spans: storedSpans(message, origin) };
  return {
    role: message.role === 'tool' ? 'user' : message.role,
    spans: pieces.map((piece) => writtenSpan(message, piece, origin)),
  };
}

function join(text: string): SpanDraft {
  return { source: 'join', ref: '', text };
}

/** Returns the span of a message written as text, with the source its part has in any other prompt. */
function writtenSpan(
  message: PromptMessage,
  piece: NonNullable<ReturnType<typeof protocolPieces>>[number],
  origin: MessageOrigin | undefined,
): SpanDraft {
  const turn = origin === undefined ? {} : { turnId: origin.turnId };
  if (piece.kind === undefined) return { ...fileSource(message, origin), ...ofPart(piece), ...turn };
  const part = message.role === 'system' ? undefined : message.content[piece.part];
  const callId = part?.type === 'tool-call' || part?.type === 'tool-result' ? callIdOf(part) : undefined;
  const call = callId === undefined ? {} : { callId };
  const base = { text: piece.text, ...call, ...turn };
  switch (piece.kind) {
    case 'item':
      return { source: 'item', ref: origin?.itemIds[0] ?? '', ...base };
    case 'said':
      return { source: 'reply', ref: origin?.turnId ?? '', ...base };
    case 'call':
      return { source: 'tool_call', ref: callId ?? '', ...base };
    case 'result':
      return { source: 'tool_result', ref: origin?.itemIds[piece.part] ?? callId ?? '', ...base };
    case 'frame':
      return { source: 'join', ref: callId ?? origin?.turnId ?? '', ...base };
  }
}

function fileSource(message: PromptMessage, origin: MessageOrigin | undefined): Pick<SpanDraft, 'source' | 'ref'> {
  if (message.role === 'user') return { source: 'item', ref: origin?.itemIds[0] ?? '' };
  return { source: message.role === 'tool' ? 'tool_result' : 'reply', ref: origin?.turnId ?? '' };
}

function storedSpans(message: PromptMessage, origin: MessageOrigin | undefined): readonly SpanDraft[] {
  const turn = origin === undefined ? {} : { turnId: origin.turnId };
  switch (message.role) {
    case 'system':
      return [{ source: 'item', ref: origin?.itemIds[0] ?? '', text: message.content, ...turn }];
    case 'user':
      return message.content.map((part) => ({ source: 'item' as const, ref: origin?.itemIds[0] ?? '', ...ofPart(part), ...turn }));
    case 'assistant':
      return message.content.map((part) => ({ ...replySource(part, origin), ...ofPart(part), ...turn }));
    case 'tool':
      return message.content.flatMap((part, index) => {
        const callId = callIdOf(part);
        return resultParts(part).map((piece) => ({
          source: 'tool_result' as const,
          ref: origin?.itemIds[index] ?? callId,
          callId,
          ...ofPart(piece),
          ...turn,
        }));
      });
  }
}

function replySource(
  part: PromptPart,
  origin: MessageOrigin | undefined,
): Pick<SpanDraft, 'source' | 'ref'> & { readonly callId?: string } {
  if (part.type === 'tool-call') return { source: 'tool_call', ref: callIdOf(part), callId: callIdOf(part) };
  return { source: part.type === 'reasoning' ? 'reasoning' : 'reply', ref: origin?.turnId ?? '' };
}

/** Returns the engine's id of a call; history may hold the provider's id instead. */
function callIdOf({ callId, toolCallId }: ToolCallPart | ToolResultPart): string {
  return callId ?? toolCallId;
}

function ofPart(part: PromptPart): Pick<SpanDraft, 'text' | 'file'> {
  return part.type === 'file' ? { text: '', file: fileOf(part) } : { text: partText(part) };
}

function fileOf(part: FilePart): NonNullable<PromptSpan['file']> {
  return part.filename === undefined ? { mediaType: part.mediaType } : { mediaType: part.mediaType, filename: part.filename };
}

function addEphemeral(messages: MessageSpans[], input: TurnInput, turnId: string, alone: boolean): void {
  const base = { source: 'item' as const, ref: input.itemId, ephemeral: true, turnId };
  const last = messages.at(-1);
  if (!alone && input.mode === 'prepend_to_role' && last?.role === 'user') {
    const note: readonly SpanDraft[] = [
      { ...base, text: contentText(input.content) },
      { source: 'join', ref: input.itemId, ephemeral: true, turnId, text: prependSeparator },
    ];
    messages[messages.length - 1] = { role: last.role, spans: [...note, ...last.spans] };
  } else {
    const spans = contentParts(input.content).map((part: ContentPart) => ({ ...base, ...ofPart(part) }));
    messages.push({ role: 'user', spans });
  }
}

function placed(messages: readonly MessageSpans[]): readonly PromptSpan[] {
  const spans: PromptSpan[] = [];
  let at = 0;
  messages.forEach((message, messageIndex) => {
    for (const draft of message.spans) {
      if (draft.text === '' && draft.file === undefined) continue;
      const end = at + draft.text.length;
      spans.push({ ...draft, role: message.role, messageIndex, range: [at, end], tokens: estimateTokens(draft.text) });
      at = end;
    }
  });
  return spans;
}
