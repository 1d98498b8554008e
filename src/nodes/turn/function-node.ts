import { agentScope } from '../../core/state/agent-scope.ts';
import type { Clock } from '../../core/clock.ts';
import type { Env } from '../../core/env.ts';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelOutcome, OfferedTool } from '../../core/model/model.ts';
import type { PromptMessage } from '../../core/prompt/message.ts';
import { readOnlyView } from '../../core/read-only-view.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/** Input of a function that replaces a model: the prompt a model would have got, and the views of conditions. */
export interface FunctionView {
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly OfferedTool[];
  readonly state: JsonObject;
  readonly team: JsonObject;
  readonly signal: AbortSignal;
}

/** Reply of a function: text, tool calls by wire name, or both. */
export interface FunctionReply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly tool: string; readonly args: JsonObject }[];
}

/** A deterministic node in a model's place: planners, routers, scripted sequences. */
export type NodeFunction = (view: FunctionView) => FunctionReply | Promise<FunctionReply>;

/** Dependencies of one activation of a function node. */
export interface FunctionCall {
  readonly name: string;
  readonly env: Env;
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Milliseconds that a cancelled function gets to stop. */
  readonly graceMs: number;
}

/** Default timeout of a function, in milliseconds. */
export const defaultFunctionTimeoutMs = 120_000;

/** Runs a function where an agent node would call its model; what it returns is treated like any reply. */
export async function callFunction(fn: NodeFunction, call: FunctionCall): Promise<ModelOutcome> {
  const scope = agentScope(call.env, call.run, call.agent);
  const abort = new AbortController();
  try {
    const made = Promise.try(fn, {
      messages: readOnlyView(call.messages),
      tools: readOnlyView(call.tools),
      state: readOnlyView(scope['state'] as JsonObject),
      team: readOnlyView(scope['team'] as JsonObject),
      signal: abort.signal,
    });
    const reply = await waitFor(made, call, abort);
    const toolCalls = (reply.toolCalls ?? []).map(({ tool, args }, index) => ({
      providerCallId: `${call.name}_${index + 1}`,
      toolName: call.env.catalog.wireName(tool),
      input: JSON.stringify(args),
      isIdOurs: true as const,
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
    const isGivenUp = thrown instanceof CadreError && thrown === abort.signal.reason;
    return {
      kind: 'error',
      error: isGivenUp
        ? { code: thrown.code, message: thrown.message }
        : { code: 'INTERNAL', message: `function node '${call.name}' failed: ${describeThrown(thrown)}` },
      usage: {},
      attempts: [],
    };
  }
}

/**
 * Waits for a function until its deadline. When its agent is cancelled, waits for the grace period at most; when its turn is interrupted,
 * not at all. A later reply is ignored.
 */
function waitFor(made: Promise<FunctionReply>, call: FunctionCall, abort: AbortController): Promise<FunctionReply> {
  const { name, signal, clock, timeoutMs, graceMs } = call;
  return new Promise((resolve, reject) => {
    const giveUp = (error: CadreError): void => {
      finish();
      abort.abort(error);
      reject(error);
    };
    const onAbort = (): void => {
      const reason: unknown = signal.reason;
      if (reason instanceof CadreError && reason.code === 'MODEL_INTERRUPTED') return giveUp(reason);
      abort.abort(reason);
      cancelTimer();
      const error = new CadreError(
        'MODEL_ABORTED',
        `function node '${name}' did not stop when cancelled; its reply is no longer awaited`,
      );
      cancelTimer = clock.setTimer(graceMs, () => giveUp(error));
    };
    const finish = (): void => {
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
    };
    const late = `function node '${name}' did not answer within ${timeoutMs / 1000} s (function_timeout of the profile) and was told to stop`;
    let cancelTimer = clock.setTimer(timeoutMs, () => giveUp(new CadreError('MODEL_TIMEOUT', late)));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    void made.then(resolve, reject).finally(finish);
  });
}
