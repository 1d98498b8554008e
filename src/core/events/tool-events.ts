import type { ErrorRecord } from '../error.ts';
import type { AgentId, CallId, ContentHash, TurnId } from '../ids.ts';
import type { Capability } from '../state/capability.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { WaitFor } from '../tool/wait-for.ts';
import type { CallStatus } from '../state/turn.ts';

/** A tool call is on the record, before anything of it runs. */
export interface ToolRequest {
  readonly type: 'tool.request';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly name: string;
  /** The parsed arguments, or null when they could not be used. */
  readonly args: JsonObject | null;
  /** The toolset of the tool, when it has another name. */
  readonly toolset?: string;
  /** The tool only looks whether something is ready: calling it again and again is no stagnation. */
  readonly polls?: boolean;
  /** Argument text was repaired; only ever for `pure` tools. */
  readonly repaired?: boolean;
}
/** A tool begins to run. */
export interface ToolStart {
  readonly type: 'tool.start';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly attempt: number;
}
/** A call waits for something; nothing of it is held in memory. */
export interface ToolSuspend {
  readonly type: 'tool.suspend';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly on: WaitFor;
  readonly memo: JsonValue;
}
/** A person decided over a call that waited for approval, or answered a question. */
export interface ToolAnswer {
  readonly type: 'tool.answer';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly verdict: 'approved' | 'rejected' | 'answered';
  readonly value?: JsonValue;
  readonly message?: string;
  /** The arguments the call runs with in place of its own; the model is told. */
  readonly args?: JsonObject;
  /** What was agreed to; the call runs only as long as it is the same. Absent in journals of earlier versions. */
  readonly capability?: Capability;
  /** Every call of this tool that the same gate asks about is allowed, until the run ends. */
  readonly always?: boolean;
  /** Nobody was asked: the event that allowed such calls once and for all. */
  readonly standing?: number;
  /** Nobody decided in time: what holds then was decided by the gate or the question. */
  readonly expired?: boolean;
}
/** A call that was interrupted while it ran was looked into: whether it happened, as the tool says that its `verify` names. */
export interface ToolVerify {
  readonly type: 'tool.verify';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  /** The tool that was asked. */
  readonly by: string;
  readonly answer: 'happened' | 'not_happened' | 'unknown';
  /** Why it could not tell. */
  readonly error?: ErrorRecord;
}
/** A tool call is over. Its result item is added in the same commit. */
export interface ToolEnd {
  readonly type: 'tool.end';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly status: CallStatus;
  /** What the model will read, before any framing. */
  readonly content: Content;
  readonly error?: ErrorRecord;
  /** The uncut result, when `content` was cut. */
  readonly full?: ContentHash;
  /** How many invisible characters were taken out of an untrusted result. */
  readonly cleaned?: number;
  /** Agents below its own that have not ended and whose words are in the result. */
  readonly quotes?: readonly AgentId[];
  /** The call ends its agent, in this way, once all calls of the turn are over. */
  readonly end?: AgentEnding;
  readonly progress?: readonly { readonly fraction: number; readonly note: string; readonly at: number }[];
  readonly ms: number;
}
/** How an agent is to end. */
export interface AgentEnding {
  readonly outcome: string;
  readonly output?: string;
  readonly deliverables?: JsonObject;
  readonly error?: ErrorRecord;
}
/** A result that came after its call was over: kept, never delivered. */
export interface ToolLate {
  readonly type: 'tool.late';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly status: CallStatus;
  readonly content: Content;
}
