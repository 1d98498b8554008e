import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';
import type { Journal } from '../../core/journal.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Run } from '../../engine/run.ts';
import { readAnswer } from '../../inspector/read-answer.ts';
import { readJson } from '../http/request-body.ts';
import type { ServerApp, ServerParts } from '../http/server-parts.ts';
import { currentExchange, type Exchange } from '../threads/exchange.ts';
import { giveVerdicts, type GivenVerdict } from '../threads/give-verdicts.ts';
import { sseStream } from '../threads/sse-stream.ts';
import type { Listening, Threads } from '../threads/threads.ts';
import { answerChat, type ChatAnswer } from './answer-chat.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';

/**
 * Adds the chat of the AI SDK: `useChat` works with it as it is. A chat is a run, found again by the chat's id; leaving a chat in
 * the middle of an answer ends nothing, and `GET /api/chat/:id/stream` tells the answer from its beginning.
 */
export function addChatRoutes(app: ServerApp, parts: ServerParts, threads: Threads): void {
  /** The message that each run is at, so that who comes back gets it from its beginning. */
  const messages = new WeakMap<Run, ChatMessage>();

  app.post('/api/chat', async (context) => {
    const request = readChatRequest(await readJson(context));
    const answer = await threads.inOrder(request.id, () => submit(parts, threads, request));
    if (!answer.goesOn) messages.set(answer.listening.run, answer);
    return stream(context, answer);
  });

  app.get('/api/chat/:id/stream', async (context) => {
    const run = await threads.working(context.req.param('id'));
    if (run === undefined) return context.body(null, 204);
    const message = messages.get(run) ?? messageOf(exchangeOf(run));
    return stream(context, { ...message, goesOn: false, listening: threads.listen(run) });
  });
}

type Answer = Omit<ChatAnswer, 'signal'>;
/** A message of the client: which events it tells. */
type ChatMessage = Pick<ChatAnswer, 'exchange' | 'messageId' | 'known'>;

/** The message that answers what the user said. */
function messageOf(exchange: Exchange): ChatMessage {
  return { exchange, messageId: `${exchange.itemId}.answer`, known: exchange.seq };
}

/** Does what a client wants, and says which part of the run answers it. */
async function submit(parts: ServerParts, threads: Threads, request: ChatRequest): Promise<Answer> {
  const known = await threads.takeUp(request.id);
  const listening = threads.listen(known ?? (await launch(parts, threads, request)));
  try {
    if (known !== undefined) return await goOn(parts, listening, request);
    return { ...messageOf(exchangeOf(listening.run)), goesOn: false, listening };
  } catch (thrown) {
    listening.stop();
    throw thrown;
  }
}

async function launch(
  parts: ServerParts,
  threads: Threads,
  { id, said, profile = parts.defaultProfile }: ChatRequest,
): Promise<Run> {
  if (said === undefined) throw new CadreError('RUN_UNKNOWN', `there is no chat '${id.slice(0, 100)}' that waits for a verdict`);
  if (profile === undefined) throw new CadreError('REQUEST_INVALID', 'profile is missing: name the profile the chat begins with');
  return await parts.engine.launch({ profile, input: payloadOf(said), runId: (await threads.chain(id)).next }, parts.launch);
}

/** Hands verdicts and words to a run that is there. Words answer the question it asks, if it does. */
async function goOn({ engine }: ServerParts, listening: Listening, request: ChatRequest): Promise<Answer> {
  const { run } = listening;
  const { said, continues } = request;
  // What was asked belongs to the exchange before the answer.
  const exchange = exchangeOf(run);
  const known = run.state.seq;
  const given = await giveVerdicts(run, verdictsOf(request));
  if (said === undefined) {
    const messageId = continues ?? messageOf(exchange).messageId;
    const since = given > 0 ? known : await decidedAt(engine.records, run, exchange, request);
    return { listening, exchange, messageId, goesOn: true, known: since };
  }
  const question = said.attachments.length === 0 && given === 0 ? run.pending.find(({ kind }) => kind === 'question') : undefined;
  if (question !== undefined) {
    await run.answer(question.id, readAnswer(question, said.text));
    return { listening, exchange, messageId: `${question.id}.answer`, goesOn: false, known };
  }
  await run.send({ source: 'USER_PROMPT', payload: payloadOf(said) });
  return { ...messageOf(exchangeOf(run)), goesOn: false, listening };
}

/** Where somebody else decided over what the client's verdicts are about: it has seen nothing from there on. */
async function decidedAt(
  journal: Pick<Journal, 'read'>,
  run: Run,
  { from }: Exchange,
  { approvals }: ChatRequest,
): Promise<number> {
  const ids = new Set(approvals.map(({ id }) => id));
  const events = await journal.read(run.id, { after: from });
  const first = events.find((event) => event.type === 'tool.answer' && ids.has(event.callId));
  if (first !== undefined) return first.seq - 1;
  const waiting = run.pending.map(({ id }) => id).join(', ') || 'nothing';
  throw new CadreError('PENDING_UNKNOWN', `nothing waits in run ${run.id} for what was sent; waiting: ${waiting}`);
}

function verdictsOf({ approvals, outputs }: ChatRequest): readonly GivenVerdict[] {
  return [
    ...approvals.map(({ id, approved, reason }): GivenVerdict =>
      approved ? { kind: 'approve', id } : { kind: 'reject', id, ...(reason === undefined ? {} : { message: reason }) },
    ),
    ...outputs.map(({ callId, output }): GivenVerdict => ({ kind: 'answer', id: callId, value: output })),
  ];
}

function payloadOf({ text, attachments }: NonNullable<ChatRequest['said']>): JsonObject {
  return { ...(text === '' ? {} : { prompt: text }), ...(attachments.length === 0 ? {} : { attachments }) };
}

function exchangeOf(run: Run): Exchange {
  const exchange = currentExchange(run.state);
  if (exchange !== undefined) return exchange;
  throw new CadreError('RUN_UNKNOWN', `nobody has said anything in run ${run.id}`);
}

function stream(context: Context, answer: Answer): Response {
  const left = new AbortController();
  const leave = (): void => {
    left.abort();
    answer.listening.stop();
  };
  const body = sseStream(answerChat({ ...answer, signal: left.signal }), leave);
  return context.body(body, 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-accel-buffering': 'no',
  });
}
