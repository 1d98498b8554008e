import type { JsonObject, JsonValue } from '../../core/json.ts';

/** Names the subagent an event belongs to; absent for the root agent. */
interface Attributed {
  readonly subagentRunId?: string;
}

/** An event of AG-UI 1.0 as this server sends it, one per server-sent event. */
export type AgUiEvent = AgUiRunEvent | AgUiMessageEvent | AgUiStateEvent;

/** Start and end of an AG-UI run, its steps and its subagents. */
export type AgUiRunEvent =
  | { readonly type: 'RUN_STARTED'; readonly threadId: string; readonly runId: string; readonly protocolVersion: '1.0' }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      readonly outcome:
        | { readonly type: 'success' | 'cancelled' }
        | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] };
      readonly result?: JsonValue;
      readonly usage: readonly AgUiUsage[];
    }
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code?: string; readonly usage: readonly AgUiUsage[] }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentSubagentRunId?: string;
      readonly parentToolCallId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly result?: JsonValue;
      readonly outcome: { readonly type: 'success' | 'suspended' };
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string; readonly code?: string };

/** Text, reasoning, tool calls, and snapshots of all messages. */
export type AgUiMessageEvent =
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | { readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | {
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
      readonly messageId: string;
    }
  | (Attributed & {
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId?: string;
    })
  | (Attributed & { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string })
  | (Attributed & { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string })
  | (Attributed & {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly role: 'tool';
      readonly content: string;
      readonly metadata: { readonly status: string };
    })
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly JsonObject[] };

/** State of the team, and custom events for what AG-UI has no event for. */
export type AgUiStateEvent =
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonObject }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly JsonPatchOperation[] }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: JsonValue };

/** A change of the state, as JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** A decision or an answer that the thread waits for. */
export interface AgUiInterrupt {
  readonly id: string;
  readonly reason: 'tool_call' | 'input_required';
  readonly message: string;
  readonly toolCallId?: string;
  readonly subagentRunId?: string;
  readonly responseSchema: JsonObject;
  readonly expiresAt?: string;
}

/** Tokens used during one AG-UI run. */
export interface AgUiUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens: number;
  readonly cachedInputTokens: number;
}
