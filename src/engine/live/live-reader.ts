import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { LiveChannel, LiveReading } from '../../core/events/live-channel.ts';
import type { CallId, RunId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import { ReplyPieces, type StreamedReply, type Subscribers } from '../subscribers.ts';
import { type LiveMessage, readLiveMessage } from './live-message.ts';

/** Most messages kept for events that were not read yet. */
const mostHeld = 1_000;
/** Ended turns and calls remembered, whose late messages are dropped. */
const mostEnded = 1_000;
/** Pieces behind a gap after which the beginning is asked for once more. */
const patience = 50;

/** A reply as far as it was passed on. */
interface Reading {
  readonly stream: string;
  /** Added to the attempts of the stream: one that starts over is a later attempt. */
  readonly base: number;
  readonly pieces: ReplyPieces;
  /** Parts that were passed on, all from the first. */
  part: number;
  /** Pieces that came behind a gap, since the beginning was asked for. */
  missed: number;
  /** Messages of the reply from its beginning, as far as they have come. */
  soFar: ModelDelta[];
  leave: () => void;
}

type PieceMessage = Extract<LiveMessage, { kind: 'piece' }>;
type ReplyMessage = Extract<LiveMessage, { kind: 'reply' }>;

/** What a reader needs of its run, and who gets its live data. */
interface LiveReaderParts {
  readonly runId: RunId;
  /** Sequence number of the newest event that was read. */
  readonly seq: () => number;
  readonly to: Pick<Subscribers, 'begin' | 'end' | 'delta' | 'progress'>;
}

/**
 * Live data of a run that other processes make.
 *
 * 1. What is passed on of a reply is always its beginning: after a gap nothing more is, until the beginning came again, or the journal has it.
 * 2. Live data comes after the events that its source knew, and never after the end of its turn or call.
 */
export class LiveReader {
  readonly #parts: LiveReaderParts;
  readonly #channel: LiveReading;
  readonly #replies = new Map<TurnId, Reading>();
  readonly #ended = new Set<TurnId | CallId>();
  #held: LiveMessage[] = [];

  constructor(channel: LiveChannel, parts: LiveReaderParts) {
    this.#parts = parts;
    this.#channel = channel.read(parts.runId, (text) => {
      const message = readLiveMessage(text);
      if (message === undefined || this.#held.length >= mostHeld) return;
      this.#held.push(message);
      this.release();
    });
  }

  /** Notes events before they are passed on: a reply that has begun gets the rest of its text. */
  note(events: readonly CadreEvent[]): void {
    for (const event of events) if (event.type === 'model.end') this.#complete(event);
    this.end(events);
  }

  /** Ends replies and calls that events end, without the rest of their texts. */
  end(events: readonly CadreEvent[]): void {
    for (const event of events) {
      if (event.type === 'model.end' || event.type === 'turn.end') this.#endReply(event.turnId);
      else if (event.type === 'tool.end') this.#remember(event.callId);
    }
  }

  /** Passes on what waited for events that have been read. */
  release(): void {
    const seq = this.#parts.seq();
    const held = this.#held;
    this.#held = held.filter((message) => message.seq > seq);
    for (const message of held) if (message.seq <= seq) this.#take(message);
  }

  close(): void {
    this.#channel.close();
    for (const { leave } of this.#replies.values()) leave();
    this.#replies.clear();
    this.#held = [];
  }

  #take(message: LiveMessage): void {
    if (this.#ended.has(message.turnId)) return;
    if (message.kind === 'progress') {
      const { agentId, turnId, callId, fraction, note } = message;
      if (!this.#ended.has(callId)) this.#parts.to.progress(agentId, turnId, callId, fraction, note);
      return;
    }
    if (message.kind === 'reply' && message.to !== this.#channel.reader) return;
    const reading = this.#readingOf(message);
    if (message.kind === 'reply') this.#takeReply(reading, message);
    else this.#takePiece(reading, message);
  }

  #takePiece(reading: Reading, { agentId, turnId, part, delta }: PieceMessage): void {
    if (part <= reading.part) return;
    if (part === reading.part + 1) {
      reading.part = part;
      this.#pass(reading, { agentId, turnId }, delta);
      return;
    }
    if (reading.missed % patience === 0) this.#channel.ask();
    reading.missed += 1;
  }

  #takeReply(reading: Reading, { agentId, turnId, part, at, of, deltas }: ReplyMessage): void {
    if (at === 0) reading.soFar = [];
    else if (reading.soFar.length === 0) return;
    reading.soFar.push(...deltas);
    if (at < of - 1) return;
    const whole = new ReplyPieces();
    for (const delta of reading.soFar) whole.add(delta);
    const isWhole = reading.soFar.length === of;
    reading.soFar = [];
    if (!isWhole || part < reading.part) return;
    reading.part = part;
    reading.missed = 0;
    const passed = reading.pieces.deltas;
    for (const [index, delta] of whole.deltas.entries()) {
      const before = passed[index];
      const isBegun = before !== undefined && isSamePiece(before, delta) && delta.text.startsWith(before.text);
      const text = isBegun ? delta.text.slice(before.text.length) : delta.text;
      if (text !== '') this.#pass(reading, { agentId, turnId }, { ...delta, text });
    }
  }

  #readingOf({ agentId, turnId, stream }: PieceMessage | ReplyMessage): Reading {
    const known = this.#replies.get(turnId);
    if (known?.stream === stream) return known;
    known?.leave();
    const base = known === undefined ? 0 : known.base + (known.pieces.deltas.at(-1)?.attempt ?? 0);
    const pieces = new ReplyPieces();
    const numbered = (): readonly ModelDelta[] => pieces.deltas.map((delta) => ({ ...delta, attempt: base + delta.attempt }));
    const { to } = this.#parts;
    const reply: StreamedReply = {
      get soFar() {
        return { agentId, turnId, deltas: numbered() };
      },
    };
    to.begin(turnId, reply);
    const leave = (): void => to.end(turnId, reply);
    const reading: Reading = { stream, base, pieces, part: 0, missed: 0, soFar: [], leave };
    this.#replies.set(turnId, reading);
    return reading;
  }

  #pass(reading: Reading, { agentId, turnId }: Pick<PieceMessage, 'agentId' | 'turnId'>, delta: ModelDelta): void {
    reading.pieces.add(delta);
    this.#parts.to.delta(agentId, turnId, { ...delta, attempt: reading.base + delta.attempt });
  }

  /** Passes on the rest of a reply that has begun, now that the journal has it. */
  #complete({ agentId, turnId, reply }: EventOf<'model.end'>): void {
    const reading = this.#replies.get(turnId);
    const passed = reading?.pieces.deltas ?? [];
    const last = passed.at(-1);
    if (reading === undefined || last === undefined || reply === undefined) return;
    const text = passed.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
    if (reply.text === text || !reply.text.startsWith(text)) return;
    const rest = { attempt: last.attempt, n: last.n + 1, kind: 'text', text: reply.text.slice(text.length) } as const;
    this.#pass(reading, { agentId, turnId }, rest);
  }

  #endReply(turnId: TurnId): void {
    this.#replies.get(turnId)?.leave();
    this.#replies.delete(turnId);
    this.#remember(turnId);
  }

  #remember(ended: TurnId | CallId): void {
    this.#ended.add(ended);
    const [oldest] = this.#ended;
    if (this.#ended.size > mostEnded && oldest !== undefined) this.#ended.delete(oldest);
  }
}

function isSamePiece(a: ModelDelta, b: ModelDelta): boolean {
  return a.attempt === b.attempt && a.kind === b.kind && a.callId === b.callId;
}
