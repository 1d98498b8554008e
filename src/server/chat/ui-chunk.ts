import type { JsonValue } from '../../core/json.ts';

/**
 * What we send of the AI SDK's UI message stream (version 1, header `x-vercel-ai-ui-message-stream: v1`): one chunk per server-sent
 * event, then `[DONE]`.
 */
export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: JsonValue }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ToolInputChunk
  | {
      readonly type: 'tool-input-error';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly errorText: string;
      readonly dynamic: true;
      readonly providerExecuted: true;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string; readonly reason?: string }
  | { readonly type: 'tool-approval-response'; readonly approvalId: string; readonly approved: boolean; readonly reason?: string }
  | { readonly type: 'tool-output-available'; readonly toolCallId: string; readonly output: JsonValue; readonly dynamic: true }
  | { readonly type: 'tool-output-error'; readonly toolCallId: string; readonly errorText: string; readonly dynamic: true }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: JsonValue; readonly transient?: true }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';
      readonly messageMetadata: JsonValue;
    };

/** A call with its arguments. The client runs none of them (`providerExecuted`), but may answer a question that a person is asked. */
export interface ToolInputChunk {
  readonly type: 'tool-input-available';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly dynamic: true;
  readonly providerExecuted: boolean;
  readonly toolMetadata?: { readonly agentId: string };
}
