import { CadreError } from '../../core/error.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ExternalItem } from '../../engine/input/external-item.ts';
import type { Run } from '../../engine/run.ts';
import { choicesOf, readAnswer } from '../../inspect/read-answer.ts';
import type { ServerParts } from '../http/server-parts.ts';
import { currentExchange, type Exchange } from './exchange.ts';
import { giveVerdicts, type GivenVerdict } from './give-verdicts.ts';
import type { Listening, Threads } from './threads.ts';

/** Request of a chat client. */
export interface ThreadRequest {
  /** Name the client has for the conversation. */
  readonly name: string;
  /** Profile of a new conversation. */
  readonly profile: string | undefined;
  /** Message of the user, if there is one. */
  readonly message: { readonly text: string; readonly attachments: readonly JsonObject[] } | undefined;
  /** The user's verdicts; most may belong to earlier requests. */
  readonly verdicts: readonly GivenVerdict[];
}

/** Effect of a request, and the part of the run that its answer covers. */
export interface Submitted {
  readonly did: 'launched' | 'said' | 'answered' | 'decided' | 'nothing';
  readonly listening: Listening;
  readonly exchange: Exchange;
  /** Last sequence number that the client knows or that belongs to earlier answers. */
  readonly known: number;
}

/** Handles a request: launches the conversation's run, applies verdicts, posts the message. A message answers a pending question. */
export async function submit(parts: ServerParts, threads: Threads, request: ThreadRequest): Promise<Submitted> {
  const run = await threads.resume(request.name);
  if (run === undefined) return await newExchange('launched', threads, await launch(parts, threads, request));
  const { name, message } = request;
  if (run.state.outcome === undefined || message === undefined) {
    const done = await whileListening(threads, run, (listening) => continueRun(listening, request));
    if (done !== 'over') return done;
  }
  if (message === undefined)
    throw new CadreError('RUN_ENDED', `run ${run.id} has ended (${run.state.status}); send a message to continue it`);
  return await newExchange('said', threads, await threads.continueInFork(name, run, messageOf(message)));
}

/** Returns the result for a run that was just launched or forked. */
async function newExchange(did: 'launched' | 'said', threads: Threads, run: Run): Promise<Submitted> {
  return await whileListening(threads, run, (listening) => {
    const exchange = exchangeOf(run);
    return { did, listening, exchange, known: exchange.seq };
  });
}

/** Listens to a run before acting on it; stops when the action fails or the run had ended. */
async function whileListening<T extends Submitted | 'over'>(
  threads: Threads,
  run: Run,
  act: (listening: Listening) => T | Promise<T>,
): Promise<T> {
  const listening = threads.listen(run);
  let isKept = false;
  try {
    const done = await act(listening);
    isKept = done !== 'over';
    return done;
  } finally {
    if (!isKept) listening.stop();
  }
}

async function launch(
  { engine, defaultProfile, launch: options }: ServerParts,
  threads: Threads,
  request: ThreadRequest,
): Promise<Run> {
  const { name, message, profile = defaultProfile() } = request;
  if (message === undefined)
    throw new CadreError('RUN_UNKNOWN', `there is no conversation '${name.slice(0, 100)}' yet: send a message first`);
  if (profile === undefined) throw new CadreError('REQUEST_INVALID', 'profile is missing: name the profile to begin with');
  return await engine.launch({ profile, input: payloadOf(message), runId: (await threads.chain(name)).next }, options);
}

/** Applies verdicts and posts the message; `over` when the run ended before. */
async function continueRun(listening: Listening, { message, verdicts }: ThreadRequest): Promise<Submitted | 'over'> {
  const { run } = listening;
  // A question belongs to the exchange before its answer.
  const before = { listening, exchange: exchangeOf(run), known: run.state.seq };
  const given = await giveVerdicts(run, verdicts);
  if (message === undefined) return { did: given > 0 ? 'decided' : 'nothing', ...before };
  const question =
    message.attachments.length === 0 && given === 0 ? run.pending.find(({ kind }) => kind === 'question') : undefined;
  const answer = question === undefined ? '' : readAnswer(question, message.text);
  // At a checkpoint, any text except its choices is a message, with which the agent continues.
  const isWords = question?.tool === '' && question.schema !== undefined && !choicesOf(question).includes(answer);
  if (question !== undefined && !isWords) {
    await run.answer(question.id, answer);
    return { did: 'answered', ...before };
  }
  try {
    await run.send(messageOf(message));
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'RUN_ENDED') return 'over';
    throw thrown;
  }
  const exchange = exchangeOf(run);
  return { did: 'said', listening, exchange, known: exchange.seq };
}

function messageOf(message: NonNullable<ThreadRequest['message']>): ExternalItem {
  return { source: 'USER_PROMPT', payload: payloadOf(message) };
}

function payloadOf({ text, attachments }: NonNullable<ThreadRequest['message']>): JsonObject {
  return { ...(text === '' ? {} : { prompt: text }), ...(attachments.length === 0 ? {} : { attachments }) };
}

/** Returns the current exchange of a run. */
export function exchangeOf(run: Run): Exchange {
  const exchange = currentExchange(run.state);
  if (exchange !== undefined) return exchange;
  throw new CadreError('RUN_UNKNOWN', `run ${run.id} has no message of a user yet`);
}

/**
 * Returns the last sequence number before another client decided one of these requests. The verdicts come too late then, and the
 * client has seen nothing after that event.
 */
export async function decidedAt(
  journal: Pick<Journal, 'read'>,
  { listening: { run }, exchange: { from } }: Pick<Submitted, 'listening' | 'exchange'>,
  verdicts: readonly GivenVerdict[],
): Promise<number | undefined> {
  const ids = new Set<string>(verdicts.map(({ id }) => id));
  const events = await journal.read(run.id, { after: from });
  const first = events.find((event) => event.type === 'tool.answer' && ids.has(event.callId));
  return first === undefined ? undefined : first.seq - 1;
}
