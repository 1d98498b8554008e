import { describeThrown } from '../core/error.ts';
import type { CadreEvent } from '../core/events/event.ts';
import type { AgentId, CallId, TurnId } from '../core/ids.ts';
import type { ModelDelta } from '../core/model/model.ts';

/** A live observer of a run. Events are journaled facts; deltas and progress are live only. */
export interface RunSubscriber {
  readonly onEvents?: (events: readonly CadreEvent[]) => void;
  readonly onDelta?: (agentId: AgentId, turnId: TurnId, delta: ModelDelta) => void;
  readonly onProgress?: (progress: {
    readonly agentId: AgentId;
    readonly turnId: TurnId;
    readonly callId: CallId;
    readonly fraction: number;
    readonly note: string;
  }) => void;
  /** Called when the run cannot go on in this process. */
  readonly onHalt?: (error: Error) => void;
}

/** Subscribers of one run. A subscriber that throws is reported once; it never holds up the run or the others (I12). */
export class Subscribers {
  readonly #all = new Set<RunSubscriber>();
  /** Those of `#all`, a new list with each change: who subscribes in a callback reads what comes after it. */
  #present: readonly RunSubscriber[] = [];
  readonly #report: (message: string) => void;
  readonly #reported = new Set<RunSubscriber>();
  readonly #replies = new Map<TurnId, StreamedReply>();
  readonly #onLive: (isRead: boolean) => void;
  /** True when a subscriber reads deltas; they are produced only then. Read for each piece of a reply. */
  wantsDeltas = false;
  #deltaReaders = 0;
  #liveReaders = 0;
  #closed: Error | undefined;

  /** `onLive` is called when the first subscriber to deltas or progress comes, and when the last one has left. */
  constructor(report: (message: string) => void, onLive: (isRead: boolean) => void = () => undefined) {
    this.#report = report;
    this.#onLive = onLive;
  }

  /** Replies that are being streamed, for late subscribers. */
  get replies(): readonly ReplySoFar[] {
    return [...this.#replies.values()].map(({ soFar }) => soFar).filter(({ deltas }) => deltas.length > 0);
  }

  /** Registers a reply that starts streaming. */
  begin(turnId: TurnId, reply: StreamedReply): void {
    this.#replies.set(turnId, reply);
  }

  /** Forgets a reply, unless another one of its turn has begun. */
  end(turnId: TurnId, reply: StreamedReply): void {
    if (this.#replies.get(turnId) === reply) this.#replies.delete(turnId);
  }

  add(subscriber: RunSubscriber): () => void {
    this.#all.add(subscriber);
    this.#present = [...this.#all];
    if (subscriber.onDelta !== undefined) this.#countDeltaReaders(1);
    const isLive = subscriber.onDelta !== undefined || subscriber.onProgress !== undefined;
    if (isLive && this.#liveReaders++ === 0) this.#onLive(true);
    const closed = this.#closed;
    if (closed !== undefined) this.#guard(subscriber, () => subscriber.onHalt?.(closed));
    return () => {
      if (!this.#all.delete(subscriber)) return;
      this.#present = [...this.#all];
      if (subscriber.onDelta !== undefined) this.#countDeltaReaders(-1);
      if (isLive && --this.#liveReaders === 0) this.#onLive(false);
    };
  }

  publish(events: readonly CadreEvent[]): void {
    for (const subscriber of this.#present)
      if (subscriber.onEvents !== undefined && this.#all.has(subscriber))
        this.#guard(subscriber, () => subscriber.onEvents?.(events));
  }

  delta(agentId: AgentId, turnId: TurnId, delta: ModelDelta): void {
    for (const subscriber of this.#present)
      if (subscriber.onDelta !== undefined && this.#all.has(subscriber))
        this.#guard(subscriber, () => subscriber.onDelta?.(agentId, turnId, delta));
  }

  progress(agentId: AgentId, turnId: TurnId, callId: CallId, fraction: number, note: string): void {
    for (const subscriber of this.#present)
      if (subscriber.onProgress !== undefined && this.#all.has(subscriber))
        this.#guard(subscriber, () => subscriber.onProgress?.({ agentId, turnId, callId, fraction, note }));
  }

  /** Notifies present and later subscribers that the run cannot go on in this process. */
  close(error: Error): void {
    this.#closed = error;
    for (const subscriber of this.#present) this.#guard(subscriber, () => subscriber.onHalt?.(error));
  }

  #countDeltaReaders(more: number): void {
    this.#deltaReaders += more;
    this.wantsDeltas = this.#deltaReaders > 0;
  }

  #guard(subscriber: RunSubscriber, call: () => unknown): void {
    try {
      const returned = call();
      // Callbacks should be synchronous, but many are async: their rejections count as throws.
      if (returned instanceof Promise) returned.catch((thrown: unknown) => this.#failed(subscriber, thrown));
    } catch (thrown) {
      this.#failed(subscriber, thrown);
    }
  }

  #failed(subscriber: RunSubscriber, thrown: unknown): void {
    if (this.#reported.has(subscriber)) return;
    this.#reported.add(subscriber);
    this.#report(`a subscriber threw: ${describeThrown(thrown)}`);
  }
}

/** A reply that streams. */
export interface StreamedReply {
  /** The reply up to now. */
  readonly soFar: ReplySoFar;
}

/** A reply in progress, as far as it has been streamed. */
export interface ReplySoFar {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  /** Pieces of its current attempt, in order; adjacent pieces of one kind are joined, and `n` is that of the last one joined. */
  readonly deltas: readonly ModelDelta[];
}

/** Collects the pieces of one reply. A later attempt replaces the one before. */
export class ReplyPieces {
  #deltas: ModelDelta[] = [];

  get deltas(): readonly ModelDelta[] {
    return [...this.#deltas];
  }

  add(delta: ModelDelta): void {
    const last = this.#deltas.at(-1);
    if (last !== undefined && last.attempt !== delta.attempt) this.#deltas = [];
    if (last?.attempt === delta.attempt && last.kind === delta.kind && last.callId === delta.callId)
      this.#deltas[this.#deltas.length - 1] = { ...delta, text: last.text + delta.text };
    else this.#deltas.push(delta);
  }
}
