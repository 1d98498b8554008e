import { agentScope } from '../core/agent-scope.ts';
import { CadreError, describeThrown } from '../core/error.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelOutcome, OfferedTool } from '../core/model.ts';
import type { PromptMessage } from '../core/message.ts';
import type { AgentState, RunState } from '../core/state.ts';

/** What a function sees in a model's place: the prompt a model would have got, and the views of conditions. */
export interface FunctionView {
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly OfferedTool[];
  readonly state: JsonObject;
  readonly team: JsonObject;
  readonly signal: AbortSignal;
}

/** What a function says: words, tool calls by wire name, or both. */
export interface FunctionReply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly tool: string; readonly args: JsonObject }[];
}

/** A deterministic node in a model's place: planners, routers, scripted sequences. */
export type NodeFunction = (view: FunctionView) => FunctionReply | Promise<FunctionReply>;

/** What one activation of a function node needs. */
export interface FunctionCall {
  readonly name: string;
  readonly run: RunState;
  readonly agent: AgentState;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly OfferedTool[];
  readonly wireName: (tool: string) => string;
  readonly signal: AbortSignal;
}

/** Runs a function where an agent node would call its model; what it returns is treated like any reply. */
export async function callFunction(fn: NodeFunction, call: FunctionCall): Promise<ModelOutcome> {
  const scope = agentScope(call.run, call.agent);
  try {
    const made = Promise.try(fn, {
      messages: call.messages,
      tools: call.tools,
      state: scope['state'] as JsonObject,
      team: scope['team'] as JsonObject,
      signal: call.signal,
    });
    const reply = await Promise.race([made, interrupted(call.signal)]);
    const toolCalls = (reply.toolCalls ?? []).map((made, index) => ({
      providerCallId: `${call.name}_${index + 1}`,
      toolName: call.wireName(made.tool),
      input: JSON.stringify(made.args),
    }));
    return {
      kind: 'reply',
      reply: {
        text: reply.text ?? '',
        reasoning: '',
        toolCalls,
        finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
        modelId: `function:${call.name}`,
      },
      usage: {},
      cost: 0,
      attempts: [],
    };
  } catch (thrown) {
    return {
      kind: 'error',
      error: { code: 'INTERNAL', message: `function node '${call.name}' failed: ${describeThrown(thrown)}` },
      usage: {},
      attempts: [],
    };
  }
}

/** Rejects when the call is interrupted: the next turn does not wait for a function that takes no notice of its signal. */
function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => {
      if (signal.reason instanceof CadreError && signal.reason.code === 'MODEL_INTERRUPTED') reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
