import type { DeciderAction } from '../profile/profile.ts';
import type { ErrorCode } from '../error.ts';
import type { FinishReason } from '../model/model.ts';
import type { FilePart, ProviderOptions } from '../prompt/message.ts';
import type {
  EventStream,
  ObserverRecord,
  PromptHead,
  ReplyToolCall,
  RuleRecord,
  ToolBound,
  TurnInput,
  TurnPrompt,
} from '../state/turn.ts';
import { list, mapOf, optional, record } from '../schema/records.ts';
import { count, flag, json, number, oneOf, text } from '../schema/values.ts';
import { callId, content, contentHash, errorCode, errorRecord, filePart, itemId, providerOptions } from './common-parts.ts';

/* Parts of turns. Short keys are part of the file layout: see common-parts.ts. */

export const turnInput = record<TurnInput>(
  {
    itemId,
    source: text,
    strategy: oneOf('profile', 'global', 'fallback', 'item'),
    ingestor: text,
    mode: oneOf('append_as_new_message', 'prepend_to_role'),
    role: oneOf('user', 'tool'),
    persistent: flag,
    content,
    callId: optional(callId),
    wireName: optional(text),
    isError: optional(flag),
    noHandover: optional(flag),
    untrusted: optional(flag),
    taint: optional(list(text)),
    cleaned: optional(count),
    kept: optional(flag),
  },
  {
    itemId: 'i',
    source: 's',
    strategy: 'g',
    ingestor: 'n',
    mode: 'm',
    role: 'r',
    persistent: 'p',
    content: 'x',
    callId: 'k',
    wireName: 'w',
    isError: 'e',
    noHandover: 'h',
    kept: 'l',
    untrusted: 'u',
  },
);

export const observerRecord = record<ObserverRecord>(
  {
    id: text,
    phase: oneOf('pre', 'post'),
    fired: flag,
    value: optional(json),
    tools: optional(record<ToolBound>({ choice: optional(text), only: optional(list(text)), except: optional(list(text)) })),
    error: optional(errorRecord),
  },
  { id: 'i', phase: 'p', fired: 'f', value: 'v', tools: 't', error: 'e' },
);

export const ruleRecord = record<RuleRecord>(
  { id: text, matched: flag, values: optional(mapOf(json)), error: optional(errorRecord) },
  { id: 'i', matched: 'm', values: 'v', error: 'e' },
);

export const turnPrompt = record<TurnPrompt>(
  {
    system: contentHash,
    tools: contentHash,
    from: count,
    to: count,
    head: optional(contentHash),
    headSeq: optional(count),
    earlier: optional(list(record<PromptHead>({ head: contentHash, headSeq: optional(count) }))),
    stream: optional(record<EventStream>({ full: count, lines: count })),
    tokens: optional(number),
    taint: optional(list(text)),
    toolChoice: optional(text),
    protocol: optional(oneOf('json_actions', 'xml', 'loose_json')),
  },
  {
    system: 's',
    tools: 't',
    from: 'f',
    to: 'e',
    head: 'h',
    headSeq: 'q',
    tokens: 'k',
    toolChoice: 'c',
    protocol: 'p',
    earlier: 'b',
    stream: 'v',
  },
);

/** Reservation for a model call. */
export interface TurnReserve {
  /** Tokens: the estimated prompt plus the longest reply. */
  readonly tokens: number;
  /** US dollars; absent when the price is unknown. */
  readonly cost?: number;
  /** Longest reply in tokens, when the budget leaves less than the LLM config allows. */
  readonly output?: number;
}

export const reserve = record<TurnReserve>(
  { tokens: number, cost: optional(number), output: optional(number) },
  { tokens: 't', cost: 'c', output: 'o' },
);

export const replyToolCall = record<ReplyToolCall>(
  {
    callId,
    providerCallId: text,
    wireId: optional(text),
    name: text,
    wireName: text,
    input: text,
    providerOptions: optional(providerOptions),
    problem: optional(text),
    shown: optional(text),
  },
  {
    callId: 'k',
    providerCallId: 'p',
    wireId: 't',
    name: 'n',
    wireName: 'w',
    input: 'i',
    providerOptions: 'o',
    problem: 'm',
  },
);

/** Reasoning that its provider signed. */
export interface SignedReasoning {
  readonly text: string;
  readonly providerOptions: ProviderOptions;
}

/** A model's reply as `model.end` records it. */
export interface ReplyRecord {
  readonly text: string;
  /** The text as history keeps it, when the context policy cuts it. */
  readonly shown?: string;
  readonly reasoning: string;
  readonly reasoningParts?: readonly SignedReasoning[];
  readonly files?: readonly FilePart[];
  readonly toolCalls: readonly ReplyToolCall[];
  readonly finishReason: FinishReason;
  readonly modelId?: string;
  /** The model's original text, when calls were parsed out of it. */
  readonly said?: string;
}

export const reply = record<ReplyRecord>(
  {
    text,
    shown: optional(text),
    reasoning: text,
    reasoningParts: optional(list(record<SignedReasoning>({ text, providerOptions }))),
    files: optional(list(filePart)),
    toolCalls: list(replyToolCall),
    finishReason: oneOf('stop', 'tool-calls', 'length', 'content-filter', 'other'),
    modelId: optional(text),
    said: optional(text),
  },
  {
    text: 'x',
    reasoning: 'r',
    reasoningParts: 'p',
    files: 'f',
    toolCalls: 'k',
    finishReason: 'e',
    modelId: 'm',
    said: 's',
  },
);

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
  /** Untrusted sources of the texts that the rule filled in from state. */
  readonly taint?: readonly string[];
}

export const decidedAction = record<DecidedAction>(
  {
    type: oneOf(
      'continue_with_tool',
      'loop_with_inbox_item',
      'await_user_input',
      'end_agent_turn',
      'call_tool',
      'await',
      'retry_turn',
      'set_tool_choice',
      'limit',
    ),
    ruleId: optional(text),
    outcome: optional(text),
    error: optional(text),
    code: optional(errorCode),
    output: optional(text),
    on: optional(list(text)),
    tools: optional(list(text)),
    toolChoice: optional(text),
    call: optional(replyToolCall),
    taint: optional(list(text)),
  },
  {
    type: 't',
    ruleId: 'r',
    outcome: 'o',
    error: 'e',
    output: 'x',
    on: 'n',
    tools: 'k',
    toolChoice: 'c',
    code: 'd',
  },
);
