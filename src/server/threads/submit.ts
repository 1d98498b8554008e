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

/** What a client wants of a conversation. */
export interface ThreadRequest {
  /** The name the client has for it. */
  readonly name: string;
  /** The profile a new one begins with. */
  readonly profile: string | undefined;
  /** What the user says, if anything. */
  readonly said: { readonly text: string; readonly attachments: readonly JsonObject[] } | undefined;
  /** What the user decided; most of it may be of the past. */
  readonly verdicts: readonly GivenVerdict[];
}

/** What was done with it, and which part of the run is told in return. */
export interface Submitted {
  readonly did: 'launched' | 'said' | 'answered' | 'decided' | 'nothing';
  readonly listening: Listening;
  readonly exchange: Exchange;
  /** The client knows the events up to this sequence number, or they belong to what it was told before. */
  readonly known: number;
}

/** Does what a client wants: launches the conversation's run, hands in verdicts, says something. Words answer the question that waits. */
export async function submit(parts: ServerParts, threads: Threads, request: ThreadRequest): Promise<Submitted> {
  const run = await threads.takeUp(request.name);
  if (run === undefined) return await begun('launched', threads, await launch(parts, threads, request));
  const { name, said } = request;
  if (run.state.outcome === undefined || said === undefined) {
    const done = await whileListening(threads, run, (listening) => goOn(listening, request));
    if (done !== 'over') return done;
  }
  if (said === undefined)
    throw new CadreError('RUN_ENDED', `run ${run.id} has ended (${run.state.status}); say something to go on`);
  return await begun('said', threads, await threads.goOnInFork(name, run, messageOf(said)));
}

/** What a run that was just begun is at. */
async function begun(did: 'launched' | 'said', threads: Threads, run: Run): Promise<Submitted> {
  return await whileListening(threads, run, (listening) => {
    const exchange = exchangeOf(run);
    return { did, listening, exchange, known: exchange.seq };
  });
}

/** Listens to a run from before something is done with it; not any longer when that fails or comes too late. */
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
  const { name, said, profile = defaultProfile } = request;
  if (said === undefined)
    throw new CadreError('RUN_UNKNOWN', `there is nothing under the name '${name.slice(0, 100)}' yet: say something first`);
  if (profile === undefined) throw new CadreError('REQUEST_INVALID', 'profile is missing: name the profile to begin with');
  return await engine.launch({ profile, input: payloadOf(said), runId: (await threads.chain(name)).next }, options);
}

/** Says and decides what is wanted; `over` when the run ended before it could be told. */
async function goOn(listening: Listening, { said, verdicts }: ThreadRequest): Promise<Submitted | 'over'> {
  const { run } = listening;
  // What was asked belongs to the exchange before the answer.
  const before = { listening, exchange: exchangeOf(run), known: run.state.seq };
  const given = await giveVerdicts(run, verdicts);
  if (said === undefined) return { did: given > 0 ? 'decided' : 'nothing', ...before };
  const question = said.attachments.length === 0 && given === 0 ? run.pending.find(({ kind }) => kind === 'question') : undefined;
  const answer = question === undefined ? '' : readAnswer(question, said.text);
  // At a checkpoint other words than its answers are a message, with which the agent goes on.
  const isWords = question?.tool === '' && question.schema !== undefined && !choicesOf(question).includes(answer);
  if (question !== undefined && !isWords) {
    await run.answer(question.id, answer);
    return { did: 'answered', ...before };
  }
  try {
    await run.send(messageOf(said));
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'RUN_ENDED') return 'over';
    throw thrown;
  }
  const exchange = exchangeOf(run);
  return { did: 'said', listening, exchange, known: exchange.seq };
}

function messageOf(said: NonNullable<ThreadRequest['said']>): ExternalItem {
  return { source: 'USER_PROMPT', payload: payloadOf(said) };
}

function payloadOf({ text, attachments }: NonNullable<ThreadRequest['said']>): JsonObject {
  return { ...(text === '' ? {} : { prompt: text }), ...(attachments.length === 0 ? {} : { attachments }) };
}

/** The exchange that a run is at. */
export function exchangeOf(run: Run): Exchange {
  const exchange = currentExchange(run.state);
  if (exchange !== undefined) return exchange;
  throw new CadreError('RUN_UNKNOWN', `nobody has said anything in run ${run.id}`);
}

/** Where somebody else decided over what verdicts are about, which come too late then: the client has seen nothing from there on. */
export async function decidedAt(
  journal: Pick<Journal, 'read'>,
  run: Run,
  { from }: Exchange,
  verdicts: readonly GivenVerdict[],
): Promise<number | undefined> {
  const ids = new Set<string>(verdicts.map(({ id }) => id));
  const events = await journal.read(run.id, { after: from });
  const first = events.find((event) => event.type === 'tool.answer' && ids.has(event.callId));
  return first === undefined ? undefined : first.seq - 1;
}
