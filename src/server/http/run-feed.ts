import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import { LiveReader } from '../../engine/live/live-reader.ts';
import type { Run } from '../../engine/run.ts';
import { sharedFrame, toFrame } from './event-frames.ts';
import type { FrameSource, NextFrames } from './answer-events.ts';
import { LiveBuffer } from './live-buffer.ts';
import type { FairQueue } from './fair-queue.ts';
import { Waiting } from './waiting.ts';

/** Milliseconds between checks of a run that another process may advance. */
const checkEveryMs = 250;
/** The same for a journal that tells of changes: only what it misses is found late. */
const toldCheckEveryMs = 2_000;
/** Events per read, at first and at most, and target length of a message: an event may hold megabytes of text. */
const firstPage = 16;
const longestPage = 256;
const messageLength = 65_536;

/** Start of a feed, and the queue in which feeds take turns to read the journal. */
export interface RunFeedOptions {
  readonly runId: RunId;
  /** Sequence number after which events are sent. */
  readonly after: number;
  readonly queue: FairQueue;
}

/**
 * Event stream of one run for one reader: its events from any position, with live deltas and progress between them.
 *
 * Owns: the reader's position. Does not own: the events, which stay in the journal until the reader has room for them.
 *
 * 1. Every event above `after` is sent once, in order, whichever process advances the run, and however slow the reader is.
 * 2. Live data comes behind the event after which it was made, and before the next one (LiveBuffer). Replies in progress are sent
 *    from their beginning, also to a reader that connects in the middle of them, and again after `lag`.
 * 3. The stream ends when the run has ended, is not live here any more, and everything was sent.
 */
export class RunFeed implements FrameSource {
  readonly waiting = new Waiting();
  readonly #engine: Engine;
  readonly #runId: RunId;
  readonly #queue: FairQueue;
  readonly #live = new LiveBuffer();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #unwatch: (() => void) | undefined;
  /** Sequence number of the last event sent. */
  #position: number;
  /** Events read but not sent. */
  #page: readonly CadreEvent[] = [];
  /** True when the page holds the same event objects that other readers of this run have. */
  #isShared = false;
  #pageSize = firstPage;
  #isReading = false;
  /** True when the journal may have unread events. */
  #hasNews = true;
  /** True when it is time to check the journal of a run that is not live here. */
  #mayCheck = true;
  /** Live data of a run that another process advances. */
  #elsewhere: LiveReader | undefined;
  #watched: { readonly run: Run; readonly stop: () => void } | undefined;
  /** A run that halted here has no further news. */
  #halted: Run | undefined;
  #hasEnded = false;

  constructor(engine: Engine, { runId, after, queue }: RunFeedOptions) {
    this.#engine = engine;
    this.#queue = queue;
    this.#runId = runId;
    this.#position = after;
    this.#watch();
    this.#unwatch = engine.records.watch?.(runId, () => this.#wakeToCheck());
    this.#timer = setInterval(() => this.#wakeToCheck(), this.#unwatch === undefined ? checkEveryMs : toldCheckEveryMs);
    this.#timer.unref();
  }

  async next(): Promise<NextFrames> {
    if (this.#hasEnded) return 'end';
    for (;;) {
      this.#watch();
      const livesAfter = this.#live.nextAfter ?? Infinity;
      if (livesAfter <= this.#position) return { text: this.#takeLive() };
      if (this.#page.length > 0) return { text: this.#send(livesAfter) };
      if (this.#hasNews) await this.#read();
      else if (!(await this.#isOver())) {
        this.#readElsewhere();
        return 'wait';
      } else if (!this.#hasNews) {
        this.#hasEnded = true;
        return { text: toFrame({ event: 'end', data: {} }) };
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unwatch?.();
    this.#elsewhere?.close();
    this.#watched?.stop();
  }

  /** Returns live data; after a loss, replies are added again from their beginning. */
  #takeLive(): string {
    const { hasLost } = this.#live;
    const text = this.#live.take(this.#position);
    if (hasLost) this.#addRepliesSoFar();
    return text;
  }

  /** Adds the replies so far, for a reader that connects in the middle of one or was too slow. */
  #addRepliesSoFar(): void {
    const run = this.#watched?.run;
    for (const { agentId, turnId, deltas } of run?.replies ?? [])
      for (const delta of deltas) this.#live.addReplySoFar(run?.state.seq ?? 0, { agentId, turnId, delta });
  }

  /** Sends events that were read, up to the one behind which live data belongs. */
  #send(livesAfter: number): string {
    let text = '';
    let count = 0;
    for (const event of this.#page) {
      if (event.seq > livesAfter || text.length >= messageLength) break;
      text += this.#isShared ? sharedFrame(event) : toFrame({ id: event.seq, data: event });
      this.#position = event.seq;
      count += 1;
    }
    this.#elsewhere?.end(this.#page.slice(0, count));
    this.#elsewhere?.release();
    this.#page = this.#page.slice(count);
    // Adapts the page size: more short events, fewer long ones.
    if (text.length > 4 * messageLength) this.#pageSize = Math.max(1, this.#pageSize >> 1);
    else if (this.#page.length === 0 && text.length < messageLength / 4) this.#pageSize = Math.min(longestPage, this.#pageSize * 2);
    return text;
  }

  async #read(): Promise<void> {
    // Many readers that start far back must not delay others.
    await this.#queue.next();
    // Events published during the read count as news.
    this.#hasNews = false;
    this.#isReading = true;
    try {
      this.#page = await this.#engine.records.read(this.#runId, { after: this.#position, limit: this.#pageSize });
    } finally {
      this.#isReading = false;
    }
    this.#isShared = false;
    if (this.#page.length === this.#pageSize) this.#hasNews = true;
  }

  /** True when there will be no more events. For a run that is not live here, checks the journal at intervals. */
  async #isOver(): Promise<boolean> {
    const run = this.#engine.live(this.#runId);
    if (!this.#mayCheck || (run !== undefined && run !== this.#halted)) return false;
    this.#mayCheck = false;
    const [summary] = await this.#engine.runs({ runId: this.#runId });
    // If the run is gone from the journal, reading it will say so.
    if (summary === undefined || summary.lastSeq > this.#position) this.#hasNews = true;
    return summary?.outcome !== undefined || this.#hasNews;
  }

  #wakeToCheck(): void {
    const run = this.#engine.live(this.#runId);
    if (run !== undefined && run === this.#watched?.run) return;
    this.#mayCheck = true;
    this.waiting.wake();
  }

  /** Reads the live data of a run that is not live here. Goes behind the events that its process knew by then. */
  #readElsewhere(): void {
    const { live } = this.#engine.records;
    const run = this.#engine.live(this.#runId);
    if (live === undefined || this.#elsewhere !== undefined || (run !== undefined && run !== this.#halted)) return;
    const to: ConstructorParameters<typeof LiveReader>[1]['to'] = {
      begin: () => undefined,
      end: () => undefined,
      delta: (agentId, turnId, delta) => {
        this.#live.delta(this.#position, { agentId, turnId, delta });
        this.waiting.wake();
      },
      progress: (agentId, turnId, callId, fraction, note) => {
        this.#live.progress(this.#position, { agentId, turnId, callId, fraction, note });
        this.waiting.wake();
      },
    };
    this.#elsewhere = new LiveReader(live, { runId: this.#runId, seq: () => this.#position, to });
  }

  /** Subscribes to the live run if this process has it, and drops an earlier subscription. */
  #watch(): void {
    const run = this.#engine.live(this.#runId);
    if (run === undefined || run === this.#halted || run === this.#watched?.run) return;
    this.#watched?.stop();
    this.#elsewhere?.close();
    this.#elsewhere = undefined;
    this.#hasNews = true;
    // The state may be ahead of the journal by the current commit: live data belongs behind that.
    const stop = run.subscribe({
      onEvents: (events) => this.#take(events),
      onDelta: (agentId, turnId, delta) => {
        this.#live.delta(run.state.seq, { agentId, turnId, delta });
        this.waiting.wake();
      },
      onProgress: (progress) => {
        this.#live.progress(run.state.seq, progress);
        this.waiting.wake();
      },
      onHalt: () => {
        this.#halted = run;
        this.#notify();
      },
    });
    // Replies of another process, or of the earlier live run, are incomplete.
    if (this.#watched !== undefined) this.#live.lose();
    this.#watched = { run, stop };
    if (!this.#live.hasLost) this.#addRepliesSoFar();
  }

  /** Takes committed events if they are the next ones for this reader; otherwise reads them from the journal later. */
  #take(events: readonly CadreEvent[]): void {
    const isNext = this.#page.length === 0 && !this.#hasNews && !this.#isReading && events[0]?.seq === this.#position + 1;
    if (!isNext) return this.#notify();
    this.#page = events;
    this.#isShared = true;
    this.waiting.wake();
  }

  #notify(): void {
    this.#hasNews = true;
    this.waiting.wake();
  }
}
