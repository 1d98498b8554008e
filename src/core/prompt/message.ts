import type { CallId, ItemId, TurnId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Provider-specific extras that must travel back unchanged (signatures, cache marks). */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** A run of text in a message. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** Where the bytes of a file part are; the shapes are those of the AI SDK's spec v4. */
export type FileData =
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'text'; readonly text: string };

/** An image or file in a message. */
export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: FileData;
  readonly filename?: string;
  readonly providerOptions?: ProviderOptions;
}

/** What the model thought before it answered; sent back only where its provider signed it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** A tool call as the provider sees it: `toolName` is the wire name. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** The provider's id of the call where it is kept, and the engine's otherwise. */
  readonly toolCallId: string;
  /** The engine's id, where `toolCallId` is the provider's. Never sent. */
  readonly callId?: CallId;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly providerOptions?: ProviderOptions;
}

/** Text or files that came from outside: a user's words, a tool's result. */
export type ContentPart = TextPart | FilePart;

/** What an ingestor or a tool produced: plain text, or parts when there is more than text. */
export type Content = string | readonly ContentPart[];

/** The result of one tool call as the provider sees it. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  /** The id of the call, as its own part has it. */
  readonly toolCallId: string;
  readonly callId?: CallId;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text'; readonly value: string }
    | { readonly type: 'error-text'; readonly value: string }
    | { readonly type: 'content'; readonly value: readonly ContentPart[] };
}

/**
 * One message of a prompt. The shape is that of the AI SDK's `LanguageModelV4Message`, so that history is handed
 * to a model as it is, never converted again.
 */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly content: readonly (TextPart | FilePart | ReasoningPart | ToolCallPart)[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] };

/** Where a stored message came from; kept beside the message, never sent. */
export interface MessageOrigin {
  readonly turnId: TurnId;
  /** The inbox items the message was made of, or empty for a model's reply. */
  readonly itemIds: readonly ItemId[];
  readonly callIds: readonly CallId[];
  /** Which event of its history it belongs to, from 1 on: a reply and the results of its calls are one. */
  readonly event?: number;
  /** The source of the item behind a message of the user. */
  readonly source?: string;
  /** Left out when messages are handed over to another agent (briefings). */
  readonly noHandover?: boolean;
}

/** The plain text of a content value; files are left out. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Content as the parts of a user message. */
export function contentParts(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
