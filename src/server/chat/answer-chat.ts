import type { UIMessageChunk } from 'ai';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { Exchange } from '../threads/exchange.ts';
import type { Listening } from '../threads/threads.ts';
import { endOf, headOf } from './chat-end.ts';
import { UiStream } from './ui-stream.ts';

/** Everything an answer to a chat request is built from. */
export interface ChatAnswer {
  readonly listening: Listening;
  readonly exchange: Exchange;
  /** Id of the message. `isContinued`: the client has the beginning of it, else it begins here. */
  readonly messageId: string;
  readonly isContinued: boolean;
  /** Last sequence number that belongs to earlier messages or that the client knows. */
  readonly known: number;
}

/**
 * Streams a run until it has settled or the reader leaves. Chunks are read from the run only as the reader takes them:
 * `createUIMessageStream` of `ai` would buffer everything a slow reader has not read.
 */
export function streamAnswer(answer: ChatAnswer): ReadableStream<UIMessageChunk> {
  const left = new AbortController();
  const chunks = answerChunks(answer, left.signal);
  const leave = (): void => {
    left.abort();
    answer.listening.stop();
  };
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done !== true) {
          controller.enqueue(next.value);
          return;
        }
        leave();
        controller.close();
      },
      async cancel() {
        leave();
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* answerChunks(answer: ChatAnswer, signal: AbortSignal): AsyncGenerator<UIMessageChunk, void> {
  const { listening, exchange, messageId, isContinued, known } = answer;
  const { run } = listening;
  const stream = new UiStream(exchange.root);
  yield { type: 'start', messageId, messageMetadata: headOf(run.state) };
  try {
    let hasBegun = false;
    let seq = exchange.from;
    for await (const news of listening.follow({ after: exchange.from, signal })) {
      // Deltas of a reply follow the last known event.
      const isNew: boolean = hasBegun || (news.kind === 'event' ? news.event.seq > known : seq >= known);
      if (isNew && !hasBegun && !isContinued) stream.beginMessage();
      hasBegun = isNew;
      if (news.kind === 'event') seq = news.event.seq;
      const chunks = stream.take(news);
      if (isNew) yield* chunks;
    }
    const { chunks, closing } = endOf(run.state);
    yield* [...stream.close(), ...chunks, ...closing];
  } catch (thrown) {
    // The run cannot continue in this process; it can be resumed from its journal.
    yield { type: 'error', errorText: thrown instanceof CadreError ? thrown.message : describeThrown(thrown) };
  }
}
