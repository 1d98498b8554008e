import type { CallId, ContentHash, ItemId } from '../ids.ts';
import type { ErrorRecord } from '../error.ts';
import type { JsonValue } from '../json.ts';
import type { Content, ProviderOptions } from '../prompt/message.ts';
import type { InjectionMode } from '../inbox/strategy.ts';
import type { TextProtocol } from '../prompt/text-protocol.ts';

/** The kind of activation that a turn records (A1.6). */
export type TurnType = 'agent' | 'user' | 'dispatch' | 'aggregation' | 'restart';

/** An inbox item as an ingestor rendered it, recorded in `turn.start`. The item holds the raw payload. */
export interface TurnInput {
  readonly itemId: ItemId;
  readonly source: string;
  readonly strategy: 'profile' | 'global' | 'fallback' | 'item';
  readonly ingestor: string;
  readonly mode: InjectionMode;
  readonly role: 'user' | 'tool';
  readonly persistent: boolean;
  readonly content: Content;
  /** For tool results: the answered call, and its failure. */
  readonly callId?: CallId;
  readonly wireName?: string;
  readonly isError?: boolean;
  readonly noHandover?: boolean;
  /** The source is untrusted, and the text was framed as data. For tool results, the item carries the mark. */
  readonly untrusted?: boolean;
  /** Further untrusted sources whose text it quotes from state; they count as in view. */
  readonly taint?: readonly string[];
  /** Number of invisible characters removed from untrusted text. */
  readonly cleaned?: number;
  /** True when the item stays in the inbox after this turn. */
  readonly kept?: boolean;
}

/** Result of one decider rule; `values` holds the scalars that its condition read. */
export interface RuleRecord {
  readonly id: string;
  readonly matched: boolean;
  readonly values?: Readonly<Record<string, JsonValue>>;
  readonly error?: ErrorRecord;
}

/**
 * Result of one gate that is about a called tool, or of the tool's own approval requirement (`needs_approval`). The one that matched, or
 * failed, decided the call: its `verdict` is the call's. One whose condition fails does not let the call run.
 */
export interface GateRecord extends RuleRecord {
  readonly verdict: 'allow' | 'deny' | 'ask';
  /** True when it was not asked: an earlier gate had decided. */
  readonly skipped?: true;
}

/** Result of one segment of the system prompt. */
export interface SegmentRecord {
  readonly id: string;
  readonly type: string;
  readonly order: number;
  readonly conditionMet: boolean;
  /** Address of the text in the content store; absent when nothing was rendered. */
  readonly hash?: ContentHash;
  readonly chars?: number;
  readonly error?: ErrorRecord;
}

/** Rendering of the history as a stream of events: in full from event `full` on, and at most `lines` lines of each earlier text. */
export interface EventStream {
  readonly full: number;
  readonly lines: number;
}

/** A text that replaces omitted messages in a prompt, and the event that it came from. */
export interface PromptHead {
  readonly head: ContentHash;
  readonly headSeq?: number;
}

/** Contents of a turn's prompt: references, never copies of history. */
export interface TurnPrompt {
  /** Content hash of the JSON list of `SegmentRecord`s: the construction log of the system prompt. */
  readonly system: ContentHash;
  /** Content hash of the JSON list of offered tools. */
  readonly tools: ContentHash;
  /** Stored messages in view: from (inclusive) to (exclusive). */
  readonly from: number;
  readonly to: number;
  /** The user message before them that replaces earlier history, and the event that it came from. */
  readonly head?: ContentHash;
  readonly headSeq?: number;
  /** Earlier summaries, shown before `head`, oldest first; each covers other messages. */
  readonly earlier?: readonly PromptHead[];
  /** The history is shown as one stream of events; absent when it is shown as a conversation. */
  readonly stream?: EventStream;
  /** The engine's estimate of the whole prompt in tokens; `model.end` has the provider's count. */
  readonly tokens?: number;
  /** Untrusted sources in the system prompt and in tool descriptions; they count as in view for this turn. */
  readonly taint?: readonly string[];
  readonly toolChoice?: string;
  /** Text protocol for tools, calls and results; absent when the provider has native tool calls. */
  readonly protocol?: TextProtocol;
}

/** A tool call of a reply, with the ids of engine and provider. */
export interface ReplyToolCall {
  readonly callId: CallId;
  readonly providerCallId: string;
  /** Id of the call and its result in history; absent when that is `callId`. */
  readonly wireId?: string;
  /** The tool's real name, or the wire name of an unknown tool. */
  readonly name: string;
  readonly wireName: string;
  /** Argument text exactly as the provider sent it. */
  readonly input: string;
  readonly providerOptions?: ProviderOptions;
  /**
   * The arguments as another agent may be shown them, with untrusted text framed; absent when they quote none. A planner or a rule filled them in
   * from state; a model's arguments are its own words.
   */
  readonly shown?: string;
  /** Problem of a call in a text that cannot be parsed; it becomes the call's result, and the call does not run. */
  readonly problem?: string;
}

/** Final status of a tool call. */
export type CallStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'timeout' | 'unknown';

/** Result of one observer in a turn. */
export interface ObserverRecord {
  readonly id: string;
  readonly phase: 'pre' | 'post';
  readonly fired: boolean;
  /** Value of the condition, when it is a scalar. */
  readonly value?: JsonValue;
  /** Its change to the tools of this turn. */
  readonly tools?: ToolBound;
  readonly error?: ErrorRecord;
}

/** Change that an observer makes to the tools of the coming turn. */
export interface ToolBound {
  /** auto, none, required, or the name of the tool that the model must call. */
  readonly choice?: string;
  /** The only tools and toolsets that this turn offers. */
  readonly only?: readonly string[];
  /** Tools and toolsets that this turn does not offer. */
  readonly except?: readonly string[];
}
