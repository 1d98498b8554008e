import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { JsonValue } from '../../core/json.ts';
import type { Usage } from '../../core/model/model.ts';

/** A tool call of a scripted reply: `args` are written as JSON, `input` is the argument text itself, broken or not. */
export type ScriptedToolCall = { readonly name: string; readonly id?: string } & (
  | { readonly args: JsonValue }
  | { readonly input: string }
);

/** An HTTP error as a provider reports it. */
export interface ScriptedHttpError {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One reply of a scripted model, or one fault. */
export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** `stop` or `tool-calls` unless given; any word of the AI SDK. */
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Thrown in place of an answer, as it is; an HTTP error is given by its status. */
  readonly error?: Error | ScriptedHttpError;
  /** Ends the stream after that many parts, without a finish: quietly, or as `cutWith` says. */
  readonly cutAfter?: number;
  /** `error` sends an error part, `reset` breaks the stream. */
  readonly cutWith?: 'end' | 'error' | 'reset';
  /** Answers nothing; together with `cutAfter` it falls silent after that many parts. */
  readonly hang?: boolean;
  /** Takes no notice of an abort. */
  readonly ignoreAbort?: boolean;
  /** Real milliseconds before each part. */
  readonly delayMs?: number;
  /** Sent in place of the parts made from the fields above. */
  readonly parts?: readonly LanguageModelV4StreamPart[];
}
