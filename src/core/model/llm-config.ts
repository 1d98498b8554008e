import type { JsonObject } from '../json.ts';
import type { ModelPrice } from './model-price.ts';
import type { ToolProtocol } from '../prompt/text-protocol.ts';

/** Deadlines of one model call, in milliseconds. */
export interface ModelDeadlines {
  readonly connect: number;
  readonly firstToken: number;
  readonly betweenChunks: number;
  readonly total: number;
}

/** How failed attempts are repeated. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly maxRetries: number;
  /**
   * Attempts after the first for failures that do not mean that the provider is down: an inner error, a deadline, a cut stream, an
   * answer that cannot be read. As many as `maxRetries` when absent.
   */
  readonly maxCostlyRetries?: number;
  /** First wait in milliseconds; doubled per attempt, with full jitter. */
  readonly waitMs: number;
  /** Longest wait in milliseconds, also for a server's retry-after. */
  readonly maxWaitMs: number;
  /**
   * How long a call goes on waiting for a provider that is down, in milliseconds from its first failure; no longer than its
   * attempts last when absent.
   */
  readonly outageMs?: number;
}

/** How fast a provider's key may be used; all agents and runs of a process that use the key share it. */
export interface RateLimit {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Requests under way at once. */
  readonly maxParallel?: number;
  /** How long a call may wait for its turn, in milliseconds. */
  readonly maxWaitMs?: number;
}

/** What a model may take; `file` is anything that is none of the others. */
export type AcceptedKind = 'text' | 'image' | 'pdf' | 'audio' | 'video' | 'file';

/** An LLM config after inheritance and environment values are resolved. */
export interface LlmConfig {
  readonly name: string;
  /** `scripted`, `openai`, `openai-compatible`, … or empty when `model` names a model object handed to the engine. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** The environment variable that is the base URL, all of it: the user set the address, and keys may go there. */
  readonly baseUrlVar?: string;
  /** Which of a provider's protocols is spoken, where it has several. */
  readonly api?: 'chat' | 'responses';
  /** The environment variable that holds the key; the key itself never enters a config. */
  readonly apiKeyVar?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly reasoningEffort?: string;
  /** What the model thought goes back to it while it calls tools, also where its provider signs nothing. */
  readonly returnReasoning?: boolean;
  readonly providerOptions?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values from the environment that must never be recorded. */
  readonly secrets?: readonly string[];
  /** Context size of the model in tokens, for estimates and limits. */
  readonly contextWindow?: number;
  /** What the model takes, where that is less, or more, than its wire format carries. */
  readonly accepts?: readonly AcceptedKind[];
  readonly price?: ModelPrice;
  readonly retry: RetryPolicy;
  readonly deadlines: ModelDeadlines;
  readonly rateLimit?: RateLimit;
  /** How long the config is left alone, where there is another one, after it kept failing; in milliseconds. */
  readonly cooldownMs?: number;
  /** Names of LLM configs to try, in order, when this one keeps failing. */
  readonly fallbacks: readonly string[];
  /** Environment variables that are required and not set: the config cannot be used. */
  readonly missing: readonly string[];
  /** The config to use instead when something required is missing. */
  readonly whenUnconfigured?: string;
  /** Whether the form of an answer is demanded of the provider: `auto`, when absent, in calls that offer no tool. */
  readonly responseFormat?: 'auto' | 'always' | 'never';
  /** How its model is told of tools and calls them; `native` when absent. */
  readonly toolProtocol?: ToolProtocol;
  /** Calls that stand in the text of a reply without any others count. */
  readonly acceptsTextCalls?: boolean;
  /** For `scripted`: the rules, as loaded. */
  readonly script?: JsonObject;
  /** For `replay`: the file of the recording, relative to the working folder. */
  readonly recording?: string;
}

/** Deadlines that hold when nothing is configured (FAULTS M4). */
export const defaultDeadlines: ModelDeadlines = { connect: 30_000, firstToken: 120_000, betweenChunks: 60_000, total: 900_000 };

/** Retries that hold when nothing is configured (FAULTS M1; A1.12). */
export const defaultRetry: Required<RetryPolicy> = {
  maxRetries: 5,
  maxCostlyRetries: 2,
  waitMs: 1_000,
  maxWaitMs: 60_000,
  outageMs: 900_000,
};

/** How long a config that kept failing is left alone when nothing is configured. */
export const defaultCooldownMs = 60_000;

/** How long a call waits for its turn when nothing is configured. */
export const defaultMaxQueueMs = 120_000;
