import type { JsonObject } from '../json.ts';
import type { Visibility } from './visibility.ts';

/** When a summariser replaces old messages, what it leaves, and what happens when it fails. */
export interface CompactionPolicy {
  /** Share of the context size (or of `max_tokens`, when that is less) at which it begins. */
  readonly at: number;
  /** The same in tokens; wins over the share. */
  readonly atTokens?: number;
  /** It begins as well when so many replies with calls are in view, and before a request that follows a task that is over. */
  readonly atActions?: number;
  readonly atTaskEnd?: true;
  /** The newest messages that are kept as they are: at most so many, and at most so many tokens. */
  readonly keep: number;
  readonly keepTokens?: number;
  /** Who summarises; absent = the agent's own LLM config. */
  readonly llmConfig?: string;
  /** What the summariser is told; absent = the engine's own words. */
  readonly instructions?: string;
  /** After a failure: leave the messages out without a summary, or end the agent with the outcome `limit`. */
  readonly onFailure: 'window' | 'stop';
}

/** What part of its history an agent's model sees. */
export interface ContextPolicy {
  /** Most messages of history in a prompt; call and result are never separated. 0 = all. */
  readonly window: number;
  /** Most tokens of a prompt, by estimate; older messages are left out to keep to it. Absent = no bound. */
  readonly maxTokens?: number;
  /** Longest text in characters per kind: `tool_result`, `user`, `assistant`. */
  readonly truncate: Readonly<Record<string, number>>;
  /** Shares of the model's context size at which an agent is told, and at which it ends; absent = the defaults. */
  readonly warnAt?: number;
  readonly stopAt?: number;
  readonly compaction?: CompactionPolicy;
  /** Longest tool result in characters that is shown whole; of longer ones, a preview with a token. Absent = no previews. */
  readonly resultPreview?: number;
  /** What it sees of others' history, and whether of its own before the task at hand; absent = its own alone. */
  readonly visibility?: Visibility;
  /** History as one stream of events: so many in full, of older texts so many lines. Absent = a conversation. */
  readonly rendering?: { readonly full: number; readonly lines: number };
  /** Everything the profile says, in YAML spelling. */
  readonly raw: JsonObject;
}
