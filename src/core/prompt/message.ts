import type { CallId, ItemId, TurnId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Provider-specific extras that must travel back unchanged (signatures, cache marks). */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** Text in a message. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** Content of a file part; the shapes are those of the AI SDK's spec v4. */
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

/** The model's reasoning before its reply; sent back only if its provider signed it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** A tool call as the provider sees it: `toolName` is the wire name. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** The provider's id of the call when it is kept, otherwise the engine's. */
  readonly toolCallId: string;
  /** The engine's id, when `toolCallId` is the provider's. Never sent. */
  readonly callId?: CallId;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly providerOptions?: ProviderOptions;
}

/** Text or files from outside: a user's message, a tool's result. */
export type ContentPart = TextPart | FilePart;

/** Output of an ingestor or a tool: plain text, or parts if there is more than text. */
export type Content = string | readonly ContentPart[];

/** The result of one tool call as the provider sees it. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  /** Id of the call, as in its own part. */
  readonly toolCallId: string;
  readonly callId?: CallId;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text'; readonly value: string }
    | { readonly type: 'error-text'; readonly value: string }
    | { readonly type: 'content'; readonly value: readonly ContentPart[] };
}

/** One message of a prompt. The shape is that of the AI SDK's `LanguageModelV4Message`, so history goes to a model without conversion. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly content: readonly (TextPart | FilePart | ReasoningPart | ToolCallPart)[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] };

/** Any part of any message of a prompt. */
export type PromptPart = TextPart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart;

/** Origin of a stored message; kept beside the message, never sent. */
export interface MessageOrigin {
  readonly turnId: TurnId;
  /** Inbox items that the message renders; empty for a model's reply. */
  readonly itemIds: readonly ItemId[];
  readonly callIds: readonly CallId[];
  /** Number of its event in the history, from 1: a reply and the results of its calls are one event. */
  readonly event?: number;
  /** Source of the item behind a user message. */
  readonly source?: string;
  /** Excluded when messages are handed over to another agent (briefings). */
  readonly noHandover?: boolean;
}

/** Returns the plain text of a content value, without files. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Converts content to the parts of a user message. */
export function contentParts(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
