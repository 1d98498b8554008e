import { CadreError, describeThrown } from '../../core/error.ts';
import type { Exchange } from '../threads/exchange.ts';
import type { Listening } from '../threads/threads.ts';
import { endOf, headOf } from './chat-end.ts';
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
  yield write({ type: 'start', messageId, messageMetadata: headOf(run.state) });
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
    const { chunks, closing } = endOf(run.state);
    for (const chunk of [...stream.close(), ...chunks, ...closing]) yield write(chunk);
  } catch (thrown) {
    // The run cannot go on in this process. It stays where its journal stands, for whoever takes it up.
    yield write({ type: 'error', errorText: thrown instanceof CadreError ? thrown.message : describeThrown(thrown) });
  }
  yield '[DONE]';
}

function write(chunk: UiChunk): string {
  return JSON.stringify(chunk);
}
