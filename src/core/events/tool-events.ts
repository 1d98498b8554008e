import type { ErrorRecord } from '../error.ts';
import type { AgentId, CallId, ContentHash, TurnId } from '../ids.ts';
import type { Capability } from '../state/capability.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { WaitFor } from '../tool/wait-for.ts';
import type { CallStatus } from '../state/turn.ts';

/** A tool call is recorded, before any of it runs. */
export interface ToolRequest {
  readonly type: 'tool.request';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly name: string;
  /** The parsed arguments; null when they were unusable. */
  readonly args: JsonObject | null;
  /** The tool's toolset, when its name differs. */
  readonly toolset?: string;
  /** The tool only polls: repeating the call is not stagnation. */
  readonly polls?: boolean;
  /** The argument text was repaired; only for `pure` tools. */
  readonly repaired?: boolean;
}
/** A tool starts to run. */
export interface ToolStart {
  readonly type: 'tool.start';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly attempt: number;
}
/** A call waits and holds nothing in memory. */
export interface ToolSuspend {
  readonly type: 'tool.suspend';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly on: WaitFor;
  readonly memo: JsonValue;
}
/** A person decided about a call that waited for approval, or answered a question. */
export interface ToolAnswer {
  readonly type: 'tool.answer';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly verdict: 'approved' | 'rejected' | 'answered';
  readonly value?: JsonValue;
  readonly message?: string;
  /** Arguments that replace the call's own; the model is informed. */
  readonly args?: JsonObject;
  /** The approved capability; the call runs only while it is unchanged. Absent in journals of earlier versions. */
  readonly capability?: Capability;
  /** Approves every call of this tool that the same gate asks about, until the run ends. */
  readonly always?: boolean;
  /** Event of the standing approval that allowed this call without asking a person. */
  readonly standing?: number;
  /** The wait expired without a person's decision; the gate or the question determined the result. */
  readonly expired?: boolean;
}
/** Result of checking whether an interrupted call took effect, as reported by the tool that its `verify` names. */
export interface ToolVerify {
  readonly type: 'tool.verify';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  /** The tool that checked. */
  readonly by: string;
  readonly answer: 'happened' | 'not_happened' | 'unknown';
  /** Reason for `unknown`. */
  readonly error?: ErrorRecord;
}
/** A tool call is over. Its result item is added in the same commit. */
export interface ToolEnd {
  readonly type: 'tool.end';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly status: CallStatus;
  /** The result that the model will read, before any framing. */
  readonly content: Content;
  readonly error?: ErrorRecord;
  /** The full result, when `content` was cut. */
  readonly full?: ContentHash;
  /** Number of invisible characters removed from an untrusted result. */
  readonly cleaned?: number;
  /** Unfinished agents below its own whose text is in the result. */
  readonly quotes?: readonly AgentId[];
  /** The call ends its agent in this way, once all calls of the turn are over. */
  readonly end?: AgentEnding;
  readonly progress?: readonly { readonly fraction: number; readonly note: string; readonly at: number }[];
  readonly ms: number;
}
/** Planned end of an agent. */
export interface AgentEnding {
  readonly outcome: string;
  readonly output?: string;
  readonly deliverables?: JsonObject;
  readonly error?: ErrorRecord;
}
/** A result arrived after its call was over: recorded, never delivered. */
export interface ToolLate {
  readonly type: 'tool.late';
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly status: CallStatus;
  readonly content: Content;
}
