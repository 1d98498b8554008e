import type { ErrorCode, ErrorRecord } from '../error.ts';
import type { AgentId, CallId, TurnId } from '../ids.ts';
import type { FilePart, ProviderOptions } from '../prompt/message.ts';
import type { FinishReason, ModelAttempt, Usage } from '../model/model.ts';
import type { DeciderAction } from '../profile/profile.ts';
import type { ReplyToolCall, RuleRecord, TurnInput, TurnPrompt, TurnType, ObserverRecord } from '../state/turn.ts';

/** A turn begins; this commit consumes the items that it read (I2). */
export interface TurnStart {
  readonly type: 'turn.start';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly turnType: TurnType;
  readonly flowId: string;
  readonly sourceTurnIds: readonly TurnId[];
  readonly sourceToolCallId?: CallId;
  readonly inputs: readonly TurnInput[];
  readonly observers: readonly ObserverRecord[];
  /** Absent for turns without a model call. */
  readonly prompt?: TurnPrompt;
  /** Upper bound of its model call, reserved in every budget that the agent draws on. */
  readonly reserve?: TurnReserve;
  /** The agent nears (1) or has reached (2) a limit; a turn at stage 2 is its last and has no tools. */
  readonly limit?: { readonly stage: 1 | 2; readonly reason: string };
}
/** Reservation for a model call. */
export interface TurnReserve {
  /** Tokens: the estimated prompt plus the longest reply. */
  readonly tokens: number;
  /** US dollars; absent when the price is unknown. */
  readonly cost?: number;
  /** Longest reply in tokens, when the budget leaves less than the LLM config allows. */
  readonly output?: number;
}
/** A model call ends in a reply or an error. */
export interface ModelEnd {
  readonly type: 'model.end';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly reply?: {
    readonly text: string;
    /** The text as history keeps it, when the context policy cuts it. */
    readonly shown?: string;
    readonly reasoning: string;
    readonly reasoningParts?: readonly { readonly text: string; readonly providerOptions: ProviderOptions }[];
    readonly files?: readonly FilePart[];
    readonly toolCalls: readonly ReplyToolCall[];
    readonly finishReason: FinishReason;
    readonly modelId?: string;
    /** The model's original text, when calls were parsed out of it. */
    readonly said?: string;
  };
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  readonly cost?: number;
  readonly attempts: readonly ModelAttempt[];
}
/** The flow decider has decided. */
export interface TurnDecide {
  readonly type: 'turn.decide';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly observers: readonly ObserverRecord[];
  readonly rules: readonly RuleRecord[];
  readonly action: DecidedAction;
}
/** The action that a turn ended in, as plain data. */
export interface DecidedAction {
  readonly type: DeciderAction['type'] | 'limit';
  readonly ruleId?: string;
  readonly outcome?: string;
  readonly error?: string;
  /** Error code, when the error is not the profile's own. */
  readonly code?: ErrorCode;
  readonly output?: string;
  readonly on?: readonly string[];
  readonly tools?: readonly string[];
  readonly toolChoice?: string;
  /** For `call_tool`: the call that a rule made in place of the model. */
  readonly call?: ReplyToolCall;
}
/** A turn is over: its model call and all its tool calls have ended. */
export interface TurnEnd {
  readonly type: 'turn.end';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly status: 'completed' | 'error' | 'cancelled' | 'interrupted';
  readonly error?: ErrorRecord;
}
