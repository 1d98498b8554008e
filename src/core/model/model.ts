import type { ErrorRecord } from '../error.ts';
import type { RunId } from '../ids.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { LlmConfig } from './llm-config.ts';
import type { FilePart, PromptMessage, ProviderOptions } from '../prompt/message.ts';
import type { TextProtocol } from '../prompt/text-protocol.ts';

/** A tool as it is offered to a model; `name` is the wire name. */
export interface OfferedTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** How the model must choose among the offered tools. */
export type ToolChoice = { readonly type: 'auto' | 'none' | 'required' } | { readonly type: 'tool'; readonly toolName: string };

/** A piece of a reply while it streams. `attempt` and `n` let a reader drop what a later attempt supersedes. */
export interface ModelDelta {
  readonly attempt: number;
  readonly n: number;
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly text: string;
  /** For `tool-input`: the provider's call id and the wire name. */
  readonly callId?: string;
  readonly toolName?: string;
}

/** A provider that is down, as the caller of a model learns of it. `message` says since when, and what follows. */
export interface OutageNews {
  readonly kind: 'began' | 'over';
  readonly message: string;
}

/** Who makes a model call: the run, and the agent by its path (`core/agent-path.ts`). */
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
  /** Tools are told of in the system text, and calls and results are text of this protocol. */
  readonly textProtocol?: TextProtocol;
  /** The reply must be JSON that fits; providers that can are told so. */
  readonly outputSchema?: JsonSchema;
  /** The longest reply in tokens, where a budget leaves less than the config allows. */
  readonly maxOutputTokens?: number;
  /** About how many tokens the prompt has, where that is known without looking through it. */
  readonly promptTokens?: number;
  readonly signal: AbortSignal;
  /** How many replies of the agent before this one were calls that the provider did not take, in a row. */
  readonly brokenCalls?: number;
  readonly onDelta?: (delta: ModelDelta) => void;
  /** Called when the call begins to wait for a provider that is down, and when the provider answers again. */
  readonly onOutage?: (news: OutageNews) => void;
  /** Absent for calls that are made outside a run. */
  readonly caller?: ModelCaller;
  /** `summary`: the call of a compaction, not of a turn. */
  readonly purpose?: 'summary' | 'title';
}

/** A tool call as the provider gave it: raw argument text, its own id, the wire name. */
export interface RawToolCall {
  readonly providerCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerOptions?: ProviderOptions;
  /** The engine's side made the id up (a script, a function, a plan): it does not go back in history. */
  readonly isIdOurs?: true;
  /** Why a call in a text cannot be read; it is answered with this and not run. */
  readonly problem?: string;
}

/** Tokens of one or more calls; a count the provider did not report is absent. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** How a reply ended; anything else than the first two is not a clean end. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';

/** One complete answer of a model. */
export interface ModelReply {
  readonly text: string;
  readonly reasoning: string;
  /** Present when the provider signed its reasoning and needs it back. */
  readonly reasoningParts?: readonly { readonly text: string; readonly providerOptions: ProviderOptions }[];
  readonly files?: readonly FilePart[];
  readonly toolCalls: readonly RawToolCall[];
  readonly finishReason: FinishReason;
  readonly modelId?: string;
  /** What the model really wrote, where calls were read out of its text. */
  readonly said?: string;
}

/** One try at a model call, as the turn record keeps it. */
export interface ModelAttempt {
  readonly config: string;
  readonly model: string;
  readonly startedAt: number;
  readonly ms: number;
  readonly firstTokenMs?: number;
  readonly error?: ErrorRecord;
  /** Text that had arrived when the attempt failed. */
  readonly partialText?: string;
  /** How long the gateway waited before the next attempt, in milliseconds. */
  readonly waitMs?: number;
  /** How long the attempt waited for its turn before it started, in milliseconds. */
  readonly queuedMs?: number;
}

/** How a model call ended. `cost` is in US dollars; absent = unknown, never zero. */
export type ModelOutcome =
  | {
      readonly kind: 'reply';
      readonly reply: ModelReply;
      readonly usage: Usage;
      readonly cost?: number;
      readonly attempts: readonly ModelAttempt[];
      readonly warnings?: readonly string[];
    }
  | {
      readonly kind: 'error';
      readonly error: ErrorRecord;
      readonly usage: Usage;
      readonly cost?: number;
      readonly attempts: readonly ModelAttempt[];
      readonly details?: JsonObject;
    };

/** The port to models. `call` must not throw: every failure is an outcome. */
export interface ModelGateway {
  call(request: ModelRequest): Promise<ModelOutcome>;
}
