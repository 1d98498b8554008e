import { CadreError } from '../../core/error.ts';
import type { Journal } from '../../core/events/journal.ts';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { readFate } from '../../engine/input/asking-fate.ts';
import type { ExternalItem } from '../../engine/input/external-item.ts';
import type { Run } from '../../engine/run.ts';
import { choicesOf, readAnswer } from '../../inspect/read-answer.ts';
import { assertMay, roleFor } from '../access/access-table.ts';
import { includesRole, type Person } from '../../core/roles.ts';
import { isAskingItself } from '../reach/asks-itself.ts';
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
  readonly message: ThreadMessage | undefined;
  /** The user's verdicts. */
  readonly verdicts: readonly GivenVerdict[];
  /** Who sends it, and the route: the table of access has the role that verdicts need. */
  readonly person: Person;
  readonly route: 'POST /api/chat' | 'POST /ag-ui';
}

/** A message of the user. */
export interface ThreadMessage {
  readonly text: string;
  readonly attachments: readonly JsonObject[];
  /** Ids of the questions it may answer: those that the client showed when it was written. */
  readonly answers: readonly string[];
}

/** Effect of a request, and the part of the run that its answer covers. */
export interface Submitted {
  readonly did: 'launched' | 'said' | 'answered' | 'decided' | 'nothing';
  readonly listening: Listening;
  readonly exchange: Exchange;
  /** Last sequence number that the client knows or that belongs to earlier answers. */
  readonly known: number;
  /** True when the request repeats a decision that was made before; the answer is what followed it. */
  readonly isRepeat?: boolean;
  /** Refusals of verdicts that decided nothing, while the rest of the request had an effect. */
  readonly refused: readonly CadreError[];
}

/** Handles a request: launches the conversation's run, applies verdicts, posts the message. A message answers a pending question. */
export async function submit(parts: ServerParts, threads: Threads, request: ThreadRequest): Promise<Submitted> {
  if (request.verdicts.length > 0) assertMay(request.person, request.route, 'verdicts');
  const run = await threads.resume(request.name, { by: request.person.name });
  if (run === undefined) return await newExchange('launched', threads, await launch(parts, threads, request));
  const { name, message } = request;
  if (run.state.outcome === undefined || message === undefined) {
    const done = await whileListening(threads, run, (listening) => continueRun(parts, listening, request));
    if (done !== 'over') return done;
  }
  if (message === undefined)
    throw new CadreError('RUN_ENDED', `run ${run.id} has ended (${run.state.status}); send a message to continue it`);
  return await newExchange(
    'said',
    threads,
    await threads.continueInFork(name, run, { message: messageOf(message), by: request.person.name }),
  );
}

/** Returns the result for a run that was just launched or forked. */
async function newExchange(did: 'launched' | 'said', threads: Threads, run: Run): Promise<Submitted> {
  return await whileListening(threads, run, (listening) => {
    const exchange = exchangeOf(run);
    return { did, listening, exchange, known: exchange.seq, refused: [] };
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
  return await engine.launch(
    { profile, input: payloadOf(message), runId: (await threads.chain(name)).next },
    {
      ...options,
      by: request.person.name,
    },
  );
}

/** Applies verdicts and posts the message; `over` when the run ended before. */
async function continueRun(
  { engine }: ServerParts,
  listening: Listening,
  { message, verdicts, person, route }: ThreadRequest,
): Promise<Submitted | 'over'> {
  const { run } = listening;
  const by = { by: person.name };
  // A question belongs to the exchange before its answer.
  const before = { listening, exchange: exchangeOf(run), known: run.state.seq };
  const answering = message === undefined ? undefined : await questionFor(run, message, engine.records);
  const { decided, repeats, refused } = await giveVerdicts(run, verdicts, by);
  if (message === undefined) {
    if (decided > 0) return { did: 'decided', ...before, refused };
    if (repeats !== undefined) return { did: 'nothing', ...before, known: repeats - 1, isRepeat: true, refused };
    const [refusal] = refused;
    if (refusal !== undefined) throw refusal;
    return { did: 'nothing', ...before, refused };
  }
  if (answering?.kind === 'repeat') return { did: 'answered', ...before, known: answering.known, isRepeat: true, refused };
  // A message that answers a question, or lets an agent pass a checkpoint, is a verdict, too.
  if (answering !== undefined || isAskingItself(run)) assertMay(person, route, 'verdicts');
  if (answering?.kind === 'answer' && decided === 0) {
    await run.answer(answering.id, answering.value, by);
    return { did: 'answered', ...before, refused };
  }
  try {
    const mayAnswer = includesRole(person.role, roleFor(route, 'verdicts'));
    await run.send(messageOf(message), { ...by, mayAnswer });
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'RUN_ENDED') return 'over';
    throw thrown;
  }
  const exchange = exchangeOf(run);
  return { did: 'said', listening, exchange, known: exchange.seq, refused };
}

/** What a message of the user is to the questions of a run: the answer to one, or one that was given before. */
type Answering =
  | { readonly kind: 'answer'; readonly id: string; readonly value: JsonValue }
  | { readonly kind: 'repeat'; readonly known: number };

/**
 * Returns what a message answers; undefined when it is a message like any other. It answers only a question that the client showed.
 *
 * @throws CadreError `PENDING_UNKNOWN` when a question waits that the client did not show: the writer of the message has not seen it, and a
 * message may let its agent go on
 */
async function questionFor(
  run: Run,
  { text, attachments, answers }: ThreadMessage,
  records: Pick<Journal, 'read'>,
): Promise<Answering | undefined> {
  const open = run.pending.filter(({ kind }) => kind === 'question');
  const question = open.find(({ id }) => answers.includes(id));
  if (question !== undefined) {
    const value = readAnswer(question, text);
    // At a checkpoint, any text except its choices is a message, with which the agent continues.
    const isWords = question.callId === undefined && question.schema !== undefined && !choicesOf(question).includes(value);
    return isWords || attachments.length > 0 ? undefined : { kind: 'answer', id: question.id, value };
  }
  let ended = '';
  for (const id of answers) {
    const fate = await readFate(run.state, (after) => records.read(run.id, { after }), id);
    if (fate?.end === 'answered' && isDeepStrictEqual(fate.value, readAnswer(fate, text)))
      return { kind: 'repeat', known: fate.seq - 1 };
    if (fate !== undefined) ended += `; request ${id} ${fate.words}`;
  }
  const [unseen] = open;
  if (unseen === undefined) return undefined;
  throw new CadreError(
    'PENDING_UNKNOWN',
    `run ${run.id} asks ${unseen.id}, and this message does not answer it, since its client did not show it${ended}. Look at the question (load the chat's messages again, or run the thread without a message), and answer it. It asks: ${(unseen.message ?? '').slice(0, 500)}`,
    { details: { id: unseen.id } },
  );
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
