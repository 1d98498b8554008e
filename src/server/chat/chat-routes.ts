import type { UIMessage } from 'ai';
import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';
import type { Run } from '../../engine/run.ts';
import { readJson } from '../http/request-body.ts';
import type { ServerApp, ServerParts } from '../http/server-parts.ts';
import type { Exchange } from '../threads/exchange.ts';
import type { GivenVerdict } from '../threads/give-verdicts.ts';
import { heartbeatMs } from '../threads/sse-stream.ts';
import { decidedAt, exchangeOf, submit, type Submitted } from '../threads/submit.ts';
import { checkName, type Threads } from '../threads/threads.ts';
import { chatMessages } from './chat-messages.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { type ChatAnswer, streamAnswer } from './answer-chat.ts';

/**
 * Adds the chat endpoints of the AI SDK, for `useChat` without changes. A chat is a run, found by the chat's id. A client that leaves
 * in the middle of an answer ends nothing: `GET /api/chat/:id/messages` returns all messages, and `GET /api/chat/:id/stream`
 * streams the current answer, or the one that waits for a person, from its beginning.
 */
export function addChatRoutes(app: ServerApp, parts: ServerParts, threads: Threads): void {
  /** Current message of each run, so that a client that returns gets it from its beginning. */
  const messages = new WeakMap<Run, ChatMessage>();

  app.post('/api/chat', async (context) => {
    const request = await readChatRequest(await readJson(context));
    const { id: name, profile } = request;
    const verdicts = verdictsOf(request);
    const done = await threads.inOrder(name, () => submit(parts, threads, { name, profile, message: request.message, verdicts }));
    const message = await messageFor(done, request, () => decidedAt(parts.engine.records, done, verdicts)).catch(
      (thrown: unknown) => {
        done.listening.stop();
        throw thrown;
      },
    );
    if (!message.isContinued) messages.set(done.listening.run, message);
    return await stream(context, () => ({ ...message, listening: done.listening }));
  });

  app.get('/api/chat/:id/messages', async (context) => {
    const { current: runId } = await threads.chain(checkName(context.req.param('id'), 'id'));
    return context.json(runId === undefined ? [] : await messagesOf(parts, runId, messages));
  });

  app.get('/api/chat/:id/stream', async (context) => {
    const run = await threads.unfinished(context.req.param('id'));
    if (run === undefined) return context.body(null, 204);
    const message = messages.get(run) ?? answerTo(exchangeOf(run));
    return await stream(context, () => ({ ...message, isContinued: false, listening: threads.listen(run) }));
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
async function messageFor(
  { did, exchange, known, listening }: Submitted,
  { continues }: ChatRequest,
  decided: () => Promise<number | undefined>,
): Promise<ChatMessage & { readonly isContinued: boolean }> {
  const messageId = continues ?? answerTo(exchange).messageId;
  switch (did) {
    case 'launched':
    case 'said':
      return { ...answerTo(exchange), isContinued: false };
    case 'answered':
      return { exchange, messageId: `${exchange.itemId}.answer.${known}`, known, isContinued: false };
    case 'decided':
      return { exchange, messageId, known, isContinued: true };
    case 'nothing': {
      const since = await decided();
      if (since !== undefined) return { exchange, messageId, known: since, isContinued: true };
      const waiting = listening.run.pending.map(({ id }) => id).join(', ') || 'nothing';
      throw new CadreError('PENDING_UNKNOWN', `nothing waits in run ${listening.run.id} for what was sent; waiting: ${waiting}`);
    }
  }
}

function verdictsOf({ approvals, outputs }: ChatRequest): readonly GivenVerdict[] {
  return [
    ...approvals.map(({ id, approved, reason }): GivenVerdict =>
      approved ? { kind: 'approve', id } : { kind: 'reject', id, ...(reason === undefined ? {} : { message: reason }) },
    ),
    ...outputs.map(({ callId, output }): GivenVerdict => ({ kind: 'answer', id: callId, value: output })),
  ];
}

async function stream(context: Context, answer: () => ChatAnswer): Promise<Response> {
  const { createUIMessageStreamResponse } = await import('ai');
  const { body, headers } = createUIMessageStreamResponse({ stream: streamAnswer(answer()), keepAliveMs: heartbeatMs });
  return context.newResponse(body, { headers });
}
