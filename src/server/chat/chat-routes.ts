import type { UIMessage, UIMessageChunk } from 'ai';
import type { Context } from 'hono';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { Run } from '../../engine/run.ts';
import { readJsonBody } from '../http/request-body.ts';
import { personOf, type Routes } from '../http/routes.ts';
import type { ServerParts } from '../http/server-parts.ts';
import type { Exchange } from '../threads/exchange.ts';
import { heartbeatMs } from '../threads/sse-stream.ts';
import { exchangeOf, submit, type Submitted } from '../threads/submit.ts';
import { checkName, type Threads, type Listening } from '../threads/threads.ts';
import { chatMessages } from './chat-messages.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { endOf, headOf } from './chat-end.ts';
import { UiStream } from './ui-stream.ts';

/**
 * Adds the chat endpoints of the AI SDK, for `useChat` without changes. A chat is a run, found by the chat's id. A client that leaves
 * in the middle of an answer ends nothing: `GET /api/chat/:id/messages` returns all messages, and `GET /api/chat/:id/stream`
 * streams the current answer, or the one that waits for a person, from its beginning.
 */
export function addChatRoutes(routes: Routes, parts: ServerParts, threads: Threads): void {
  /** Current message of each run, so that a client that returns gets it from its beginning. */
  const messages = new WeakMap<Run, ChatMessage>();

  routes.post('/api/chat', async (context) => {
    const request = await readChatRequest(await readJsonBody(context));
    const { id: name, profile, message: said, verdicts } = request;
    const done = await threads.inOrder(name, () =>
      submit(parts, threads, { name, profile, message: said, verdicts, person: personOf(context), route: 'POST /api/chat' }),
    );
    const message = messageFor(done, request);
    if (!message.isContinued) messages.set(done.listening.run, message);
    return await stream(context, () => ({ ...message, listening: done.listening, refused: done.refused }));
  });

  routes.get('/api/chat/:id/messages', async (context) => {
    const { current: runId } = await threads.chain(checkName(context.req.param('id'), 'id'));
    return context.json(runId === undefined ? [] : await messagesOf(parts, runId, messages));
  });

  routes.get('/api/chat/:id/stream', async (context) => {
    const run = await threads.unfinished(context.req.param('id'));
    if (run === undefined) return context.body(null, 204);
    const message = messages.get(run) ?? answerTo(exchangeOf(run));
    return await stream(context, () => ({ ...message, isContinued: false, listening: threads.listen(run), refused: [] }));
  });
}

/** Returns the messages of a chat, from the journal alone. `current` has the message of each live run. */
async function messagesOf(
  { engine, records }: ServerParts,
  runId: string,
  current: WeakMap<Run, ChatMessage>,
): Promise<readonly UIMessage[]> {
  const run = engine.live(runId);
  return await chatMessages(await records.get(runId), run === undefined ? undefined : current.get(run));
}

/** A message of the client, and the events it is built from. */
type ChatMessage = Pick<ChatAnswer, 'exchange' | 'messageId' | 'known'>;

/** Returns the message that answers the user's last message. */
function answerTo(exchange: Exchange): ChatMessage {
  return { exchange, messageId: `${exchange.itemId}.answer`, known: exchange.seq };
}

/** Returns the message that answers a request: a new one, or the one its verdicts are about. */
function messageFor(
  { did, exchange, known, isRepeat, listening }: Submitted,
  { continues }: ChatRequest,
): ChatMessage & { readonly isContinued: boolean } {
  const messageId = continues ?? answerTo(exchange).messageId;
  switch (did) {
    case 'launched':
    case 'said':
      return { ...answerTo(exchange), isContinued: false };
    case 'answered':
      return { exchange, messageId: `${exchange.itemId}.answer.${known}`, known, isContinued: false };
    case 'nothing':
      if (isRepeat === true) return { exchange, messageId, known, isContinued: true };
      listening.stop();
      throw new CadreError(
        'PENDING_UNKNOWN',
        `the message decides nothing that run ${listening.run.id} asks; ${waitingText(listening.run)}`,
      );
    case 'decided':
      return { exchange, messageId, known, isContinued: true };
  }
}

function waitingText({ pending }: Run): string {
  return `waiting: ${pending.map(({ id }) => id).join(', ') || 'nothing'}`;
}

async function stream(context: Context, answer: () => ChatAnswer): Promise<Response> {
  const { createUIMessageStreamResponse } = await import('ai');
  const { body, headers } = createUIMessageStreamResponse({ stream: streamAnswer(answer()), keepAliveMs: heartbeatMs });
  return context.newResponse(body, { headers });
}

/** Everything an answer to a chat request is built from. */
interface ChatAnswer {
  readonly listening: Listening;
  readonly exchange: Exchange;
  /** Id of the message. `isContinued`: the client has the beginning of it, else it begins here. */
  readonly messageId: string;
  readonly isContinued: boolean;
  /** Last sequence number that belongs to earlier messages or that the client knows. */
  readonly known: number;
  /** Refusals of verdicts that decided nothing, while the rest of the request had an effect. */
  readonly refused: readonly CadreError[];
}

/**
 * Streams a run until it has settled or the reader leaves. Chunks are read from the run only as the reader takes them:
 * `createUIMessageStream` of `ai` would buffer everything a slow reader has not read.
 */
function streamAnswer(answer: ChatAnswer): ReadableStream<UIMessageChunk> {
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
  const { listening, exchange, messageId, isContinued, known, refused } = answer;
  const { run } = listening;
  const stream = new UiStream(run.state.meta, exchange.root);
  yield { type: 'start', messageId, messageMetadata: headOf(run.state) };
  for (const { message } of refused) yield { type: 'data-notice', data: { level: 'warning', message } };
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
    yield* [...stream.close(), ...stream.showOpen(), ...chunks, ...closing];
  } catch (thrown) {
    // The run cannot continue in this process; it can be resumed from its journal.
    yield { type: 'error', errorText: thrown instanceof CadreError ? thrown.message : describeThrown(thrown) };
  }
}
