import { TurnContext } from '../../core/turn-context.ts';
import { cleanContent, cleanValue } from '../../core/untrusted/clean-outside.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { AgentEnding } from '../../core/events/tool-parts.ts';
import type { ToolEnd } from '../../core/events/tool-events.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { JsonValue, Writable } from '../../core/json.ts';
import { emptyPlace, type PlaceableDraft } from '../../core/events/event.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import { trusted } from '../../core/untrusted/watch-scope.ts';
import type { Content } from '../../core/prompt/message.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { CallStatus, GateRecord } from '../../core/state/turn.ts';
import type { Env } from '../../core/env.ts';
import type { ItemDraft, Transaction } from '../../core/events/transaction.ts';

/** Outcome of a call, as the tool node knows it. */
export interface CallEnding {
  readonly status: CallStatus;
  readonly content: Content;
  readonly error?: ErrorRecord;
  readonly end?: AgentEnding;
  readonly quotes?: readonly AgentId[];
  readonly full?: string;
  /** Number of invisible characters already removed from the result. */
  readonly cleaned?: number;
  /** True when invisible characters were looked for in the content and none was removed. */
  readonly isClean?: true;
  readonly progress?: readonly { readonly fraction: number; readonly note: string; readonly at: number }[];
  /** Sequence number of the event that caused the end; the call's start when absent. */
  readonly cause?: number;
  /** Untrusted sources of what the content quotes, framed. */
  readonly taint?: readonly string[];
  /** Untrusted sources of text of state or of other agents in the content, which is framed when it is read. */
  readonly passes?: Labels;
  /** True when its tool has not ended. */
  readonly isRunning?: boolean;
  /** The gates that judged it, when that is not on record. */
  readonly gates?: readonly GateRecord[] | undefined;
}

/** Ends a call with an error: the model reads its code and its message. */
export function failCall(
  context: TurnContext,
  callId: CallId,
  failure: ErrorRecord & Pick<CallEnding, 'status' | 'cause' | 'end' | 'progress' | 'taint' | 'passes' | 'gates' | 'isRunning'>,
): void {
  const { code, message, ...rest } = failure;
  endCall(context, callId, { ...rest, content: JSON.stringify({ error: code, message }), error: { code, message } });
}

/**
 * Ends a call: emits `tool.end`, and in the same commit the TOOL_RESULT item its agent will read (I1). An agent that has ended
 * gets no item.
 */
export function endCall(context: TurnContext, callId: CallId, said: CallEnding): void {
  const call = context.agent.calls.open.get(callId);
  if (call !== undefined) endOpenCall(context, call, context.env.catalog.get(call.request.name), said);
}

/** Ends a call that is open, of a tool that may be gone. */
export function endOpenCall(context: TurnContext, call: CallState, tool: Tool | undefined, said: CallEnding): void {
  const { tx, agent } = context;
  const { callId } = call;
  const agentId = agent.meta.agentId;
  const isOutside = speaksFromOutside(tool, call, said);
  const ending = isOutside && said.isClean !== true ? withoutUnseen(said) : said;
  const draft: PlaceableDraft<ToolEnd> = {
    type: 'tool.end',
    agentId,
    turnId: call.request.turnId,
    callId,
    status: ending.status,
    content: ending.content,
    // Calls that wait without running (a dispatch, an approval) are timed from when they were made.
    ms: Math.max(0, tx.at - (call.startedAt ?? call.request.at)),
    runId: emptyPlace.runId,
    seq: emptyPlace.seq,
    at: emptyPlace.at,
    cause: emptyPlace.cause,
  };
  if (ending.error !== undefined) draft.error = ending.error;
  if (ending.end !== undefined) draft.end = ending.end;
  if (ending.quotes !== undefined && ending.quotes.length > 0) draft.quotes = ending.quotes;
  if (ending.progress !== undefined && ending.progress.length > 0) draft.progress = ending.progress;
  if (ending.full !== undefined) draft.full = tx.content(ending.full);
  if (ending.cleaned !== undefined) draft.cleaned = ending.cleaned;
  if (ending.gates !== undefined) draft.gates = ending.gates;
  if (ending.isRunning === true) draft.isRunning = true;
  const end = tx.emit(draft, ending.cause ?? call.startSeq ?? call.request.seq);
  if (agent.status === 'ended') return;
  const { name, args } = call.request;
  const isError = ending.status !== 'ok';
  const content = ending.content as JsonValue;
  const passes = ending.passes ?? trusted;
  const payload: Record<string, JsonValue> = { tool_name: name, tool_call_id: callId, is_error: isError, content };
  if (isOutside) payload['trust'] = 'untrusted';
  else if (passes.length > 0) payload['trust'] = 'passed_on';
  if (call.args !== null && call.args !== args) payload['changed_args'] = call.args;
  const item: Writable<ItemDraft> = { source: 'TOOL_RESULT', payload };
  if (ending.cleaned !== undefined) item.cleaned = ending.cleaned;
  const taint = passes.length === 0 ? ending.taint : [...new Set([...(ending.taint ?? trusted), ...passes])];
  if (taint !== undefined && taint.length > 0) item.taint = taint;
  tx.post(agentId, item, end.seq);
}

/**
 * True when the result may hold text from outside: results and errors of an untrusted tool that ran, those of a tool that no longer
 * exists (such as one of a lost server), and the problems of arguments with a schema that a server wrote.
 */
function speaksFromOutside(tool: Tool | undefined, call: CallState, { status, error }: CallEnding): boolean {
  if (tool === undefined) return call.startSeq !== undefined && error?.code !== 'TOOL_MISSING';
  if (tool.descriptionTrust === 'untrusted' && error?.code === 'TOOL_ARGUMENTS_INVALID') return true;
  return tool.trust === 'untrusted' && (status === 'ok' || call.startSeq !== undefined);
}

function withoutUnseen(ending: CallEnding): CallEnding {
  const { value: content, removed } = cleanContent(ending.content);
  if (removed === 0) return ending;
  const error = ending.error === undefined ? {} : { error: cleanValue(ending.error).value };
  return { ...ending, ...error, content, cleaned: (ending.cleaned ?? 0) + removed };
}

/** True when a call was begun, nothing shows that it did not happen, and it is not of a tool that only reads. */
export function mayHaveActed({ catalog }: Pick<Env, 'catalog'>, call: CallState): boolean {
  return call.mayHaveHappened && catalog.get(call.request.name)?.effect !== 'pure';
}

/**
 * Ends a call that must not start. If it was interrupted while it ran and may have happened, its outcome is unknown, and the refusal says
 * why it is not repeated (I5).
 */
export function refuseCall(
  context: TurnContext,
  call: CallState,
  refusal: ErrorRecord & Pick<CallEnding, 'status' | 'cause' | 'taint' | 'gates'>,
): void {
  const { name } = call.request;
  if (!mayHaveActed(context.env, call)) {
    failCall(context, call.callId, refusal);
    return;
  }
  const message = `'${name}' was interrupted while it ran, and may or may not have happened. It is not run again: ${refusal.message}`;
  failCall(context, call.callId, { ...refusal, status: 'unknown', code: 'TOOL_OUTCOME_UNKNOWN', message });
}

/** Answers a call that waited for a person longer than it may: as its gate or question says, denied unless it says otherwise. */
export function expireCall(tx: Transaction, env: Env, callId: CallId, since: number): void {
  for (const agent of tx.run.agents.values()) {
    const call = agent.calls.open.get(callId);
    if (call === undefined) continue;
    const { waitFor } = call;
    if (call.suspendedAt !== since || waitFor === undefined || waitFor.kind === 'agents' || waitFor.expires === undefined) return;
    const { afterMs, verdict } = waitFor.expires;
    const what = waitFor.kind === 'approval' ? 'approval or rejection of this call' : 'answer';
    const message = `no ${what} within ${afterMs / 1000} s`;
    const isAllowed = waitFor.kind === 'approval' && verdict === 'allow';
    const { agentId } = agent.meta;
    const { turnId, seq } = call.request;
    const answer = tx.emit(
      {
        type: 'tool.answer',
        agentId,
        turnId,
        callId,
        verdict: isAllowed ? 'approved' : 'rejected',
        message,
        ...(isAllowed ? { capability: waitFor.capability } : {}),
        expired: true,
      },
      seq,
    );
    if (isAllowed) return;
    refuseCall(new TurnContext(tx, env, agent), call, { status: 'denied', code: 'TOOL_EXPIRED', message, cause: answer.seq });
    return;
  }
}
