import type { JsonObject } from '../json.ts';
import type { ModelPrice } from './model-price.ts';
import type { ToolProtocol } from '../prompt/text-protocol.ts';

/** The longest reply counted on where an LLM config names none, in tokens. */
export const defaultOutputTokens = 8_192;

/** Deadlines of one model call, in milliseconds. */
export interface ModelDeadlines {
  readonly connect: number;
  readonly firstToken: number;
  readonly betweenChunks: number;
  readonly total: number;
}

/** Repetition of failed attempts. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly maxRetries: number;
  /**
   * Attempts after the first for failures that do not mean an outage: an inner error, a deadline, a cut stream, an unreadable
   * answer. Absent = `maxRetries`.
   */
  readonly maxCostlyRetries?: number;
  /** First wait in milliseconds; doubled per attempt, with full jitter. */
  readonly waitMs: number;
  /** Longest wait in milliseconds, also for a server's retry-after. */
  readonly maxWaitMs: number;
  /**
   * Longest time a call waits for a provider that is down, in milliseconds from its first failure; absent = as long as its
   * attempts last.
   */
  readonly outageMs?: number;
}

/** Rate limit of a provider's key, shared by all agents and runs of a process that use the key. */
export interface RateLimit {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Most concurrent requests. */
  readonly maxParallel?: number;
  /** Longest wait for a slot, in milliseconds. */
  readonly maxWaitMs?: number;
}

/** Kind of input that a model accepts; `file` is any other file. */
export type AcceptedKind = 'text' | 'image' | 'pdf' | 'audio' | 'video' | 'file';

/** An LLM config after inheritance, with environment values resolved. */
export interface LlmConfig {
  readonly name: string;
  /** `scripted`, `openai`, `openai-compatible`, … or empty when `model` names a model object passed to the engine. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** Environment variable that is the whole base URL: the user set the address, so keys may go there. */
  readonly baseUrlVar?: string;
  /** The provider's protocol, when it has several. */
  readonly api?: 'chat' | 'responses';
  /** The environment variable of the key; the key itself never enters a config. */
  readonly apiKeyVar?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly reasoningEffort?: string;
  /** Sends the model's reasoning back while it calls tools, even if its provider does not sign it. */
  readonly returnReasoning?: boolean;
  readonly providerOptions?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values from the environment that must never be recorded. */
  readonly secrets?: readonly string[];
  /** Context size of the model in tokens, for estimates and limits. */
  readonly contextWindow?: number;
  /** Kinds of input that the model accepts, when they differ from its wire format. */
  readonly accepts?: readonly AcceptedKind[];
  readonly price?: ModelPrice;
  readonly retry: RetryPolicy;
  readonly deadlines: ModelDeadlines;
  readonly rateLimit?: RateLimit;
  /** Milliseconds for which the config is skipped in favour of a fallback after it kept failing. */
  readonly cooldownMs?: number;
  /** Names of LLM configs to try, in order, when this one keeps failing. */
  readonly fallbacks: readonly string[];
  /** Required environment variables that are not set: the config cannot be used. */
  readonly missing: readonly string[];
  /** The config to use instead when a required value is missing. */
  readonly whenUnconfigured?: string;
  /** Requests the answer's form from the provider: `auto`, when absent, in calls that offer no tool. */
  readonly responseFormat?: 'auto' | 'always' | 'never';
  /** Protocol for tools and calls; `native` when absent. */
  readonly toolProtocol?: ToolProtocol;
  /** Calls written in the text of a reply without native calls count. */
  readonly acceptsTextCalls?: boolean;
  /** For `scripted`: the rules, as loaded. */
  readonly script?: JsonObject;
  /** For `replay`: the file of the recording, relative to the working folder. */
  readonly recording?: string;
}

/** Default deadlines (FAULTS M4). */
export const defaultDeadlines: ModelDeadlines = { connect: 30_000, firstToken: 120_000, betweenChunks: 60_000, total: 900_000 };

/** Default retries (FAULTS M1; A1.12). */
export const defaultRetry: Required<RetryPolicy> = {
  maxRetries: 5,
  maxCostlyRetries: 2,
  waitMs: 1_000,
  maxWaitMs: 60_000,
  outageMs: 900_000,
};

/** Default cooldown of a config that kept failing, in milliseconds. */
export const defaultCooldownMs = 60_000;

/** Default longest wait for a slot, in milliseconds. */
export const defaultMaxQueueMs = 120_000;
