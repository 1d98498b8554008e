import type { FinishReason, UIMessageChunk } from 'ai';
import type { JsonObject } from '../../core/json.ts';
import { pendingOf } from '../../core/state/pending.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { concludeRun } from '../../inspect/conclude.ts';
import { runOverview } from '../../inspect/run-overview.ts';

/** The end of an answer. */
export interface ChatEnd {
  /** Output of the run, unless a reply contains it. */
  readonly chunks: readonly UIMessageChunk[];
  /** Totals of the run, for the metadata of the message. */
  readonly metadata: JsonObject;
  /** Last chunks of the stream: the finish reason with the totals, and the error if there is one. */
  readonly closing: readonly UIMessageChunk[];
}

/** Returns the metadata that every answer has about its run. */
export function headOf({ meta: { runId, profile, title } }: Pick<RunContext, 'meta'>): JsonObject {
  return { runId, profile, title };
}

/** Returns the end of an answer for a run in which nothing is running. */
export function endOf(state: RunContext): ChatEnd {
  const metadata = sumsOf(state);
  const finish = (finishReason: FinishReason): UIMessageChunk => ({
    type: 'finish',
    finishReason,
    messageMetadata: metadata,
  });
  if (state.status === 'cancelled') {
    const reason = state.error?.message ?? state.outcome ?? 'cancelled';
    return { chunks: [], metadata, closing: [{ type: 'abort', reason }, finish('interrupted')] };
  }
  const { text, problem } = concludeRun(state);
  const root = state.rootAgentId === undefined ? undefined : state.agents.get(state.rootAgentId);
  const isUnsaid = state.outcome !== undefined && text.trim() !== '' && text.trim() !== root?.turn.lastReply.trim();
  const chunks = isUnsaid ? outputChunks(text) : [];
  if (pendingOf(state).length > 0) return { chunks, metadata, closing: [finish('tool-calls')] };
  if (problem === undefined) return { chunks, metadata, closing: [finish('stop')] };
  // Clients stop reading at an error, so the totals come first.
  return { chunks, metadata, closing: [finish('error'), { type: 'error', errorText: problem }] };
}

function outputChunks(text: string): readonly UIMessageChunk[] {
  return [
    { type: 'start-step' },
    { type: 'text-start', id: 'output' },
    { type: 'text-delta', id: 'output', delta: text },
    { type: 'text-end', id: 'output' },
    { type: 'finish-step' },
  ];
}

function sumsOf(state: RunContext): JsonObject {
  const { runId, status, outcome, turns, inputTokens, outputTokens, cacheReadTokens, reasoningTokens, cost, pending } =
    runOverview(state);
  const usage = { inputTokens, outputTokens, cacheReadTokens, reasoningTokens };
  return {
    runId,
    status,
    outcome: outcome ?? null,
    turns,
    usage,
    cost,
    pending: pending.map((request) => toWire(request)),
  };
}
