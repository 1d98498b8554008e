import type { JsonObject } from '../json.ts';
import type { Visibility } from './visibility.ts';

/** Triggers of compaction by a summariser, the messages it leaves, and the behaviour on failure. */
export interface CompactionPolicy {
  /** Share of the context size (or of `max_tokens`, when that is less) that triggers it. */
  readonly at: number;
  /** The same in tokens; takes precedence over the share. */
  readonly atTokens?: number;
  /** Further triggers: this many replies with calls in view, and a request that follows a finished task. */
  readonly atActions?: number;
  readonly atTaskEnd?: true;
  /** The newest messages that stay as they are: at most this many, and at most this many tokens. */
  readonly keep: number;
  readonly keepTokens?: number;
  /** LLM config of the summariser; absent = the agent's own. */
  readonly llmConfig?: string;
  /** Instructions for the summariser; absent = the engine's own. */
  readonly instructions?: string;
  /** After a failure: leave the messages out without a summary, or end the agent with the outcome `limit`. */
  readonly onFailure: 'window' | 'stop';
}

/** The part of its history that an agent's model sees. */
export interface ContextPolicy {
  /** Most messages of history in a prompt; a call and its result are never separated. 0 = all. */
  readonly window: number;
  /** Most tokens of a prompt, by estimate; older messages are left out to keep to it. Absent = no bound. */
  readonly maxTokens?: number;
  /** Longest text in characters per kind: `tool_result`, `user`, `assistant`. */
  readonly truncate: Readonly<Record<string, number>>;
  /** Shares of the model's context size at which an agent is warned, and at which it ends; absent = the defaults. */
  readonly warnAt?: number;
  readonly stopAt?: number;
  readonly compaction?: CompactionPolicy;
  /** Longest tool result in characters that is shown whole; longer ones become a preview with a token. Absent = no previews. */
  readonly resultPreview?: number;
  /** Visible history besides its messages: that of others, and its own from earlier tasks. Absent = none. */
  readonly visibility?: Visibility;
  /** History as one stream of events: the newest `full` ones whole, older texts cut to `lines` lines. Absent = a conversation. */
  readonly rendering?: { readonly full: number; readonly lines: number };
  /** The profile's whole context policy, in YAML spelling. */
  readonly raw: JsonObject;
}
