import { nanoid } from 'nanoid';
import type { LiveChannel, LiveOffer, LiveSource } from '../../core/events/live-channel.ts';
import type { AgentId, CallId, RunId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { ReplySoFar, Subscribers } from '../subscribers.ts';
import { bytesOf, cutText, type LiveMessage, type PiecePlace } from './live-message.ts';

/** Most characters that wait to be sent; more are dropped, and readers get the reply from its beginning later. */
const mostWaiting = 100_000;
/** Longest reply that a reader gets from its beginning, in characters; of a longer one it gets the message that the journal has. */
const longestReply = 200_000;
/** Streams remembered: more than turns stream at once. */
const mostStreams = 500;

/** Pieces of one reply. */
interface Stream {
  readonly name: string;
  readonly agentId: AgentId;
  /** Parts sent or dropped so far. */
  parts: number;
  attempt: number;
  n: number;
}

type Waiting =
  | { readonly kind: 'piece'; readonly turnId: TurnId; readonly stream: Stream; delta: ModelDelta }
  | { readonly kind: 'reply'; readonly to: string; readonly stream: Stream; readonly reply: ReplySoFar }
  | { readonly kind: 'progress'; readonly callId: CallId; progress: Omit<Extract<LiveMessage, { kind: 'progress' }>, 'seq'> };

/** A run whose live data is offered. */
interface Published {
  readonly runId: RunId;
  readonly subscribers: Subscribers;
  /** Sequence number of the newest event known here. */
  readonly seq: () => number;
}

/** Offers the live data of a run to readers in other processes, where the journal has a channel for it. Returns what ends that. */
export function publishLive(channel: LiveChannel | undefined, run: Published): () => void {
  if (channel === undefined) return () => undefined;
  const publisher = new LivePublisher(run);
  const offer = channel.offer(run.runId, publisher);
  publisher.offer = offer;
  return () => {
    offer.close();
    publisher.wanted(false);
  };
}

/**
 * Source of a run's live data for other processes.
 *
 * 1. It subscribes to the run only while it has readers elsewhere, and gets what every subscriber gets: texts without secrets.
 * 2. Pieces that wait are joined; when too much waits, all of it is dropped, and the parts left out show in the numbers of the next ones.
 */
class LivePublisher implements LiveSource {
  offer: LiveOffer | undefined;
  readonly #run: Published;
  readonly #name = nanoid(8);
  readonly #streams = new Map<TurnId, Stream>();
  #count = 0;
  #waiting: Waiting[] = [];
  /** Waiting piece of each turn, and progress of each call, that the next one joins. */
  readonly #latest = new Map<string, Waiting>();
  #characters = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(run: Published) {
    this.#run = run;
  }

  wanted(isWanted: boolean): void {
    if (isWanted === (this.#unsubscribe !== undefined)) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#drop();
    this.#streams.clear();
    if (!isWanted) return;
    // Of a reply in progress, the beginning counts as a part that was left out.
    for (const { agentId, turnId, deltas } of this.#run.subscribers.replies) {
      const last = deltas.at(-1);
      if (last !== undefined) this.#begin(turnId, agentId, last).parts = 1;
    }
    this.#unsubscribe = this.#run.subscribers.add({
      onDelta: (agentId, turnId, delta) => this.#addPiece(agentId, turnId, delta),
      onProgress: (progress) => this.#addProgress({ kind: 'progress', ...progress }),
    });
  }

  asked(reader: string): void {
    for (const reply of this.#run.subscribers.replies) {
      const stream = this.#streams.get(reply.turnId);
      const length = reply.deltas.reduce((sum, { text }) => sum + text.length, 0);
      if (stream === undefined || length > longestReply) continue;
      // Later pieces stay behind it.
      this.#latest.delete(reply.turnId);
      this.#waiting.push({ kind: 'reply', to: reader, stream, reply });
    }
    if (this.#waiting.length > 0) this.offer?.ready();
  }

  take(longest: number): readonly string[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#latest.clear();
    this.#characters = 0;
    const seq = this.#run.seq();
    return waiting.flatMap((one) => messagesOf(one, seq, longest)).map((message) => JSON.stringify(message));
  }

  #addPiece(agentId: AgentId, turnId: TurnId, delta: ModelDelta): void {
    const known = this.#streams.get(turnId);
    // A call that is made again begins at its first attempt.
    const isAgain =
      known !== undefined && (delta.attempt < known.attempt || (delta.attempt === known.attempt && delta.n < known.n));
    const stream = known === undefined || isAgain ? this.#begin(turnId, agentId, delta) : known;
    Object.assign(stream, { attempt: delta.attempt, n: delta.n });
    const latest = this.#latest.get(turnId);
    if (latest?.kind === 'piece' && latest.stream === stream && continues(latest.delta, delta))
      latest.delta = { ...delta, text: latest.delta.text + delta.text };
    else this.#keep(turnId, { kind: 'piece', turnId, stream, delta });
    this.#grow(delta.text.length);
  }

  #addProgress(progress: Extract<Waiting, { kind: 'progress' }>['progress']): void {
    const latest = this.#latest.get(progress.callId);
    if (latest?.kind === 'progress') latest.progress = progress;
    else this.#keep(progress.callId, { kind: 'progress', callId: progress.callId, progress });
    this.#grow(0);
  }

  #begin(turnId: TurnId, agentId: AgentId, { attempt, n }: ModelDelta): Stream {
    const stream: Stream = { name: `${this.#name}.${(this.#count += 1)}`, agentId, parts: 0, attempt, n };
    this.#streams.delete(turnId);
    this.#streams.set(turnId, stream);
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > mostStreams && oldest !== undefined) this.#streams.delete(oldest);
    return stream;
  }

  #keep(key: string, waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#latest.set(key, waiting);
  }

  #grow(characters: number): void {
    // An entry takes room besides its text.
    this.#characters += characters + 10;
    if (this.#characters > mostWaiting) this.#drop();
    this.offer?.ready();
  }

  #drop(): void {
    for (const { stream } of this.#waiting.filter((one) => one.kind === 'piece')) stream.parts += 1;
    this.#waiting = [];
    this.#latest.clear();
    this.#characters = 0;
  }
}

function continues(before: ModelDelta, { attempt, kind, callId }: ModelDelta): boolean {
  return before.attempt === attempt && before.kind === kind && before.callId === callId;
}

/** Returns the messages for what waits, each of at most `longest` bytes; none for what cannot be cut to that. */
function messagesOf(one: Waiting, seq: number, longest: number): readonly LiveMessage[] {
  if (one.kind === 'progress') {
    const message = { ...one.progress, seq };
    const room = longest - bytesOf({ ...message, note: '' });
    return room < 0 ? [] : [{ ...message, note: cutText(message.note, room)[0] ?? '' }];
  }
  const { stream } = one;
  const placeOf = (turnId: TurnId, part: number): PiecePlace => ({
    seq,
    agentId: stream.agentId,
    turnId,
    stream: stream.name,
    part,
  });
  if (one.kind === 'piece')
    return cutDelta(
      one.delta,
      longest - bytesOf({ kind: 'piece', delta: one.delta, ...placeOf(one.turnId, 1e9) }) + bytesIn(one.delta),
    ).map((delta) => ({ kind: 'piece', delta, ...placeOf(one.turnId, (stream.parts += 1)) }));
  const { deltas, turnId } = one.reply;
  const place = { kind: 'reply', to: one.to, ...placeOf(turnId, stream.parts) } as const;
  const pieces = deltas.flatMap((delta) =>
    cutDelta(delta, longest - bytesOf({ ...place, at: 1e6, of: 1e6, deltas: [delta] }) + bytesIn(delta)),
  );
  return pieces.map((delta, at) => ({ ...place, at, of: pieces.length, deltas: [delta] }));
}

/** Cuts a piece so that the text of each part has at most `longest` bytes. */
function cutDelta(delta: ModelDelta, longest: number): readonly ModelDelta[] {
  if (longest < 100) return [];
  const texts = cutText(delta.text, longest);
  return texts.length === 0 ? [delta] : texts.map((text) => ({ ...delta, text }));
}

function bytesIn({ text }: ModelDelta): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
