import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { toWire } from '../../core/to-wire.ts';
import type { Run } from '../../engine/run.ts';
import { concludeRun } from '../../inspector/conclude.ts';
import { runOverview } from '../../inspector/run-overview.ts';
import type { Exchange } from '../threads/exchange.ts';
import type { Listening } from '../threads/threads.ts';
import type { UiChunk } from './ui-chunk.ts';
import { UiStream } from './ui-stream.ts';

/** What of a run a client is told, and as which message. */
export interface ChatAnswer {
  readonly listening: Listening;
  readonly exchange: Exchange;
  /** The id of the message, and whether the client has its beginning: else it begins here. */
  readonly messageId: string;
  readonly goesOn: boolean;
  /** What belongs to earlier messages, or is known to the client: the events up to this sequence number. */
  readonly known: number;
  readonly signal: AbortSignal;
}

/** Tells a client what a run does until it has settled, as the events of a UI message stream. */
export async function* answerChat(answer: ChatAnswer): AsyncGenerator<string> {
  const { listening, exchange, messageId, goesOn, known, signal } = answer;
  const { run } = listening;
  const stream = new UiStream(exchange.root);
  const { profile, title } = run.state.meta;
  yield write({ type: 'start', messageId, messageMetadata: { runId: run.id, profile, title } });
  try {
    let isTold = false;
    let seq = exchange.from;
    for await (const news of listening.follow({ after: exchange.from, signal })) {
      // The pieces of a reply come after the last event that is known.
      const isNew: boolean = isTold || (news.kind === 'event' ? news.event.seq > known : seq >= known);
      if (isNew && !isTold && !goesOn) stream.beginMessage();
      isTold = isNew;
      if (news.kind === 'event') seq = news.event.seq;
      const chunks = stream.take(news);
      if (isNew) for (const chunk of chunks) yield write(chunk);
    }
    for (const chunk of [...stream.close(), ...endOf(run)]) yield write(chunk);
  } catch (thrown) {
    // The run cannot go on in this process. It stays where its journal stands, for whoever takes it up.
    yield write({ type: 'error', errorText: thrown instanceof CadreError ? thrown.message : describeThrown(thrown) });
  }
  yield '[DONE]';
}

/** How an answer ends: what the run came to where no reply said it, what went wrong, and the sums. */
function endOf(run: Run): readonly UiChunk[] {
  const { state, pending } = run;
  const messageMetadata = sumsOf(run);
  if (state.status === 'cancelled')
    return [
      { type: 'abort', reason: state.error?.message ?? state.outcome ?? 'cancelled' },
      { type: 'finish', finishReason: 'interrupted', messageMetadata },
    ];
  const { text, problem } = concludeRun(state);
  const root = state.rootAgentId === undefined ? undefined : state.agents.get(state.rootAgentId);
  const isUnsaid = state.outcome !== undefined && text.trim() !== '' && text.trim() !== root?.lastReply.trim();
  const output: readonly UiChunk[] = isUnsaid
    ? [
        { type: 'start-step' },
        { type: 'text-start', id: 'output' },
        { type: 'text-delta', id: 'output', delta: text },
        { type: 'text-end', id: 'output' },
        { type: 'finish-step' },
      ]
    : [];
  if (pending.length > 0) return [...output, { type: 'finish', finishReason: 'tool-calls', messageMetadata }];
  if (problem === undefined) return [...output, { type: 'finish', finishReason: 'stop', messageMetadata }];
  // Clients stop reading at an error: the sums come before it.
  return [...output, { type: 'finish', finishReason: 'error', messageMetadata }, { type: 'error', errorText: problem }];
}

function sumsOf(run: Run): JsonObject {
  const { runId, status, outcome, turns, inputTokens, outputTokens, cacheReadTokens, reasoningTokens, cost } = runOverview(
    run.state,
  );
  const usage = { inputTokens, outputTokens, cacheReadTokens, reasoningTokens };
  return {
    runId,
    status,
    outcome: outcome ?? null,
    turns,
    usage,
    cost,
    pending: run.pending.map((request) => toWire(request)),
  };
}

function write(chunk: UiChunk): string {
  return JSON.stringify(chunk);
}
