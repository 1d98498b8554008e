import type { CallId, ContentHash, ItemId } from '../ids.ts';
import type { ErrorRecord } from '../error.ts';
import type { JsonValue } from '../json.ts';
import type { Content, ProviderOptions } from '../prompt/message.ts';
import type { InjectionMode } from '../inbox/strategy.ts';
import type { TextProtocol } from '../prompt/text-protocol.ts';

/** What kind of activation a turn records (A1.6). */
export type TurnType = 'agent' | 'user' | 'dispatch' | 'aggregation' | 'restart';

/** What an ingestor made of one inbox item, as it stands in `turn.start`. The raw payload is in the item. */
export interface TurnInput {
  readonly itemId: ItemId;
  readonly source: string;
  readonly strategy: 'profile' | 'global' | 'fallback' | 'item';
  readonly ingestor: string;
  readonly mode: InjectionMode;
  readonly role: 'user' | 'tool';
  readonly persistent: boolean;
  readonly content: Content;
  /** For tool results: the call that is answered, and whether it failed. */
  readonly callId?: CallId;
  readonly wireName?: string;
  readonly isError?: boolean;
  readonly noHandover?: boolean;
  /** It came from outside the circle of those whose instructions count, and was framed as data. Results say so in their items. */
  readonly untrusted?: boolean;
  /** Untrusted sources whose words it holds by way of state, besides its own: they count as in view. */
  readonly taint?: readonly string[];
  /** How many invisible characters were taken out of what came from outside. */
  readonly cleaned?: number;
  /** True when the item stays in the inbox after this turn. */
  readonly kept?: boolean;
}

/** What one rule of the decider came to; `values` are the scalars its condition read. */
export interface RuleRecord {
  readonly id: string;
  readonly matched: boolean;
  readonly values?: Readonly<Record<string, JsonValue>>;
  readonly error?: ErrorRecord;
}

/** How one segment of the system prompt came out. */
export interface SegmentRecord {
  readonly id: string;
  readonly type: string;
  readonly order: number;
  readonly conditionMet: boolean;
  /** Where the text lies in the content store; absent when nothing was rendered. */
  readonly hash?: ContentHash;
  readonly chars?: number;
  readonly error?: ErrorRecord;
}

/** How a history is shown as a stream of events: in full from this event on, and before it so many lines of each text. */
export interface EventStream {
  readonly full: number;
  readonly lines: number;
}

/** A text that stands in a prompt for messages that are left out, and the event it came from. */
export interface PromptHead {
  readonly head: ContentHash;
  readonly headSeq?: number;
}

/** What a turn's prompt was made of: references, never copies of history. */
export interface TurnPrompt {
  /** Content hash of the JSON list of `SegmentRecord`s: the construction log of the system prompt. */
  readonly system: ContentHash;
  /** Content hash of the JSON list of offered tools. */
  readonly tools: ContentHash;
  /** The stored messages in view: from (inclusive) to (exclusive). */
  readonly from: number;
  readonly to: number;
  /** The text that stands in front of them, in the user's name, for what came before; and the event it came from. */
  readonly head?: ContentHash;
  readonly headSeq?: number;
  /** Summaries that stand in front of that text, oldest first, each for messages of its own. */
  readonly earlier?: readonly PromptHead[];
  /** The history is shown as one stream of events; absent when it is shown as a conversation. */
  readonly stream?: EventStream;
  /** The engine's own estimate of the whole prompt in tokens; what the provider counted is in `model.end`. */
  readonly tokens?: number;
  /** Untrusted sources in the system prompt and in the descriptions of tools: they count as in view for this turn. */
  readonly taint?: readonly string[];
  readonly toolChoice?: string;
  /** Tools, calls and results are text of this protocol; absent when the provider has its own way. */
  readonly protocol?: TextProtocol;
}

/** A tool call of a reply, with the engine's id beside the provider's. */
export interface ReplyToolCall {
  readonly callId: CallId;
  readonly providerCallId: string;
  /** The id under which the call and its result stand in history; absent where that is `callId`. */
  readonly wireId?: string;
  /** The tool's real name, or the wire name when it is unknown. */
  readonly name: string;
  readonly wireName: string;
  /** The argument text exactly as the provider sent it. */
  readonly input: string;
  readonly providerOptions?: ProviderOptions;
  /** Why a call in a text cannot be read; it is answered with this and not run. */
  readonly problem?: string;
}

/** How a tool call ended. */
export type CallStatus = 'ok' | 'error' | 'denied' | 'cancelled' | 'timeout' | 'unknown';

/** What one observer did in a turn. */
export interface ObserverRecord {
  readonly id: string;
  readonly phase: 'pre' | 'post';
  readonly fired: boolean;
  /** What the condition evaluated to, when it is a scalar. */
  readonly value?: JsonValue;
  /** What it made of the tools of this turn. */
  readonly tools?: ToolBound;
  readonly error?: ErrorRecord;
}

/** What an observer makes of the tools of the coming turn. */
export interface ToolBound {
  /** auto, none, required, or the tool that the model call must make. */
  readonly choice?: string;
  /** The only tools and toolsets that are there in this turn. */
  readonly only?: readonly string[];
  /** Tools and toolsets that are not there in this turn. */
  readonly except?: readonly string[];
}
