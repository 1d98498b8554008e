import type { ErrorRecord } from '../error.ts';
import type { RunId } from '../ids.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { LlmConfig } from './llm-config.ts';
import type { FilePart, PromptMessage, ProviderOptions } from '../prompt/message.ts';
import type { TextProtocol } from '../prompt/text-protocol.ts';

/** A tool offered to a model; `name` is the wire name. */
export interface OfferedTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Constraint on the model's choice among the offered tools. */
export type ToolChoice = { readonly type: 'auto' | 'none' | 'required' } | { readonly type: 'tool'; readonly toolName: string };

/** A piece of a reply while it streams. `attempt` and `n` let a reader drop pieces that a later attempt supersedes. */
export interface ModelDelta {
  readonly attempt: number;
  readonly n: number;
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly text: string;
  /** For `tool-input`: the provider's call id and the wire name. */
  readonly callId?: string;
  readonly toolName?: string;
}

/** Report of a provider outage to a model's caller. `message` contains its start and the consequence. */
export interface OutageNews {
  readonly kind: 'began' | 'over';
  readonly message: string;
}

/** Caller of a model: the run, and the agent by its path (`core/state/agent-path.ts`). */
export interface ModelCaller {
  readonly runId: RunId;
  readonly path: string;
}

/** One model call: everything it depends on. */
export interface ModelRequest {
  readonly config: LlmConfig;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  /** The system text lists the tools, and calls and results are text of this protocol. */
  readonly textProtocol?: TextProtocol;
  /** Schema that the reply must fit as JSON; passed to providers that support it. */
  readonly outputSchema?: JsonSchema;
  /** Longest reply in tokens, when a budget leaves less than the config allows. */
  readonly maxOutputTokens?: number;
  /** Estimated tokens of the prompt, when known without reading it. */
  readonly promptTokens?: number;
  readonly signal: AbortSignal;
  /** Number of consecutive earlier replies of the agent whose calls the provider rejected. */
  readonly brokenCalls?: number;
  readonly onDelta?: (delta: ModelDelta) => void;
  /** Called when the call begins to wait for a provider that is down, and when the provider answers again. */
  readonly onOutage?: (news: OutageNews) => void;
  /** Asked before every attempt, and every part of a reply, that nothing was reserved for; absent: the call has no budget. */
  readonly mayTry?: (further: FurtherAttempt) => Promise<AttemptVerdict>;
  /** Nothing is reserved for the first attempt either: `mayTry` is asked before it. */
  readonly isUnreserved?: true;
  /** Absent for calls outside a run. */
  readonly caller?: ModelCaller;
  /** Purpose of a call that is not a turn's: `summary` for a compaction, `title` for the run's title. */
  readonly purpose?: 'summary' | 'title';
}

/** A further attempt of a model call, on the same config or on a fallback; or the rest of the one under way. */
export interface FurtherAttempt {
  /** Attempts made since the question before, with what they used. The outcome of the call leaves them out. */
  readonly made: readonly ModelAttempt[];
  /** Estimated tokens of the prompt. */
  readonly promptTokens: number;
  /** Config of the next attempt. */
  readonly config: Pick<LlmConfig, 'name' | 'maxOutputTokens' | 'price'>;
  /** Tokens of the reply so far, when it is the attempt under way that needs room for a longer one. */
  readonly received?: number;
}

/** Answer of the budgets to a further attempt: it may be made, with a reply that is bound to what is left; or the reason why not. */
export type AttemptVerdict =
  | { readonly kind: 'allowed'; readonly maxOutputTokens?: number }
  | { readonly kind: 'refused'; readonly error: ErrorRecord };

/** A tool call as the provider returned it: raw argument text, its own id, the wire name. */
export interface RawToolCall {
  readonly providerCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerOptions?: ProviderOptions;
  /** The engine generated the id (for a script, a function, a plan): it is not sent back in history. */
  readonly isIdOurs?: true;
  /** Problem of a call in a text that cannot be parsed; it becomes the call's result, and the call does not run. */
  readonly problem?: string;
  /** The arguments of a planner's call with untrusted text framed, when they quote some. */
  readonly shown?: string;
}

/** Tokens of one or more calls; absent counts were not reported. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** End of a reply; all but the first two are unclean. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';

/** One complete answer of a model. */
export interface ModelReply {
  readonly text: string;
  readonly reasoning: string;
  /** Present when the provider signed its reasoning and requires it back. */
  readonly reasoningParts?: readonly { readonly text: string; readonly providerOptions: ProviderOptions }[];
  readonly files?: readonly FilePart[];
  readonly toolCalls: readonly RawToolCall[];
  readonly finishReason: FinishReason;
  readonly modelId?: string;
  /** The model's original text, when calls were parsed out of it. */
  readonly said?: string;
}

/** One attempt at a model call, as the turn record keeps it. */
export interface ModelAttempt {
  readonly config: string;
  readonly model: string;
  readonly startedAt: number;
  readonly ms: number;
  readonly firstTokenMs?: number;
  readonly error?: ErrorRecord;
  /** Text received before the attempt failed. */
  readonly partialText?: string;
  /** Wait before the next attempt, in milliseconds. */
  readonly waitMs?: number;
  /** Wait for a slot before the attempt started, in milliseconds. */
  readonly queuedMs?: number;
  /** Tokens of an attempt without a reply that counts: as the provider counted them, the rest estimated. Absent when it used none. */
  readonly usage?: Usage;
  /** Cost of `usage` in US dollars; absent = unknown. */
  readonly cost?: number;
}

/** Result of a model call, without the attempts that were handed to `mayTry`. `cost` is in US dollars; absent = unknown, never zero. */
export type ModelOutcome =
  | {
      readonly kind: 'reply';
      readonly reply: ModelReply;
      readonly usage: Usage;
      readonly cost?: number;
      readonly attempts: readonly ModelAttempt[];
      readonly warnings?: readonly string[];
      /** Untrusted sources of the texts that a planner filled in from state. */
      readonly taint?: readonly string[];
    }
  | {
      readonly kind: 'error';
      readonly error: ErrorRecord;
      readonly usage: Usage;
      readonly cost?: number;
      readonly attempts: readonly ModelAttempt[];
      readonly details?: JsonObject;
      readonly taint?: readonly string[];
    };

/** The port to models. `call` must not throw: every failure is an outcome. */
export interface ModelGateway {
  call(request: ModelRequest): Promise<ModelOutcome>;
}
