import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { JsonValue } from '../../core/json.ts';
import type { Usage } from '../../core/model/model.ts';

/** Tool call of a scripted reply: `args` are written as JSON, `input` is the argument text itself, valid or not. */
export type ScriptedToolCall = { readonly name: string; readonly id?: string } & (
  | { readonly args: JsonValue }
  | { readonly input: string }
);

/** HTTP error as a provider reports it. */
export interface ScriptedHttpError {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One reply or fault of a scripted model. */
export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** `stop` or `tool-calls` by default; any finish reason of the AI SDK. */
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Thrown as it is instead of an answer; an HTTP error is given by its status. */
  readonly error?: Error | ScriptedHttpError;
  /** Ends the stream after that many parts, without a finish: quietly, or in the way of `cutWith`. */
  readonly cutAfter?: number;
  /** `error` sends an error part, `reset` breaks the stream. */
  readonly cutWith?: 'end' | 'error' | 'reset';
  /** Answers nothing; with `cutAfter` it falls silent after that many parts. */
  readonly hang?: boolean;
  /** Ignores an abort. */
  readonly ignoreAbort?: boolean;
  /** Real milliseconds before each part. */
  readonly delayMs?: number;
  /** Sent instead of the parts made from the fields above. */
  readonly parts?: readonly LanguageModelV4StreamPart[];
}
