import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import { sharedFrame, toFrame } from './event-frames.ts';
import type { FrameSource, NextFrames } from './answer-events.ts';
import { LiveBuffer } from './live-buffer.ts';
import type { TakeTurns } from './take-turns.ts';
import { Waiting } from './waiting.ts';

/** How often a run that another process may advance is looked at, in milliseconds. */
const lookEveryMs = 250;
/** Events read at a time, at first and at most, and how long a message should get: an event may hold megabytes of text. */
const firstPage = 16;
const longestPage = 256;
const messageLength = 65_536;

/**
 * The stream of one run for one reader: its events from any place, and what is live in between.
 *
 * Owns: what this reader has. Does not own: the events, which stay in the journal until the reader has room for them.
 * 1. Every event above `after` is sent once, in order, whoever advances the run, and however slow the reader is.
 * 2. What is live comes behind the event after which it was made, and before the next one (LiveBuffer). Replies under way are told
 *    from their beginnings, also to a reader that comes in the middle of them, and again after `lag`.
 * 3. It ends when the run is over, nobody has it any more, and everything was sent.
 */
export class RunFeed implements FrameSource {
  readonly waiting = new Waiting();
  readonly #engine: Engine;
  readonly #runId: RunId;
  readonly #turns: TakeTurns;
  readonly #live = new LiveBuffer();
  readonly #timer: ReturnType<typeof setInterval>;
  /** The sequence number of the last event that was sent. */
  #position: number;
  /** Events that were read and not sent. */
  #page: readonly CadreEvent[] = [];
  /** They are the very objects that other readers of this run have, too. */
  #isShared = false;
  #pageSize = firstPage;
  #isReading = false;
  /** The journal may have events that were not read. */
  #hasNews = true;
  /** It is time to see what the journal says of a run that nobody here has. */
  #mayLook = true;
  #watched: { readonly run: Run; readonly stop: () => void } | undefined;
  /** A run that halted here has nothing more to tell. */
  #halted: Run | undefined;
  #hasEnded = false;

  constructor(engine: Engine, runId: RunId, after: number, turns: TakeTurns) {
    this.#engine = engine;
    this.#turns = turns;
    this.#runId = runId;
    this.#position = after;
    this.#watch();
    this.#timer = setInterval(() => this.#wakeToLook(), lookEveryMs);
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
      else if (!(await this.#isOver())) return 'wait';
      else if (!this.#hasNews) {
        this.#hasEnded = true;
        return { text: toFrame({ event: 'end', data: {} }) };
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched?.stop();
  }

  /** What is live; where pieces were left out, replies begin again. */
  #takeLive(): string {
    const { hasLost } = this.#live;
    const text = this.#live.take(this.#position);
    if (hasLost) this.#retell();
    return text;
  }

  /** Tells what replies have said so far, from their beginnings: to a reader that comes in the middle, or was too slow. */
  #retell(): void {
    const run = this.#watched?.run;
    for (const { agentId, turnId, deltas } of run?.replies ?? [])
      for (const delta of deltas) this.#live.retell(run?.state.seq ?? 0, { agentId, turnId, delta });
  }

  /** Sends what was read, up to the event behind which something live belongs. */
  #send(livesAfter: number): string {
    let text = '';
    let count = 0;
    for (const event of this.#page) {
      if (event.seq > livesAfter || text.length >= messageLength) break;
      text += this.#isShared ? sharedFrame(event) : toFrame({ id: event.seq, data: event });
      this.#position = event.seq;
      count += 1;
    }
    this.#page = this.#page.slice(count);
    // Short events are read in larger portions, long ones in smaller.
    if (text.length > 4 * messageLength) this.#pageSize = Math.max(1, this.#pageSize >> 1);
    else if (this.#page.length === 0 && text.length < messageLength / 4) this.#pageSize = Math.min(longestPage, this.#pageSize * 2);
    return text;
  }

  async #read(): Promise<void> {
    // A crowd that begins far back must keep nobody else waiting.
    await this.#turns.mine();
    // What is published while the journal is read is news.
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

  /** Whether nothing more can come. For a run that is not live here, the journal is asked, from time to time. */
  async #isOver(): Promise<boolean> {
    const run = this.#engine.live(this.#runId);
    if (!this.#mayLook || (run !== undefined && run !== this.#halted)) return false;
    this.#mayLook = false;
    const [summary] = await this.#engine.runs({ runId: this.#runId });
    // Gone from the journal: reading it says so.
    if (summary === undefined || summary.lastSeq > this.#position) this.#hasNews = true;
    return summary?.outcome !== undefined || this.#hasNews;
  }

  #wakeToLook(): void {
    const run = this.#engine.live(this.#runId);
    if (run !== undefined && run === this.#watched?.run) return;
    this.#mayLook = true;
    this.waiting.wake();
  }

  /** Listens to the live run, if this process has it: to this one, not to one from before. */
  #watch(): void {
    const run = this.#engine.live(this.#runId);
    if (run === undefined || run === this.#halted || run === this.#watched?.run) return;
    this.#watched?.stop();
    this.#hasNews = true;
    // The state may be ahead of the journal by what is being committed: what is live belongs behind that.
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
        this.#tell();
      },
    });
    // What another process, or the run before, had said of replies has no end any more.
    if (this.#watched !== undefined) this.#live.lose();
    this.#watched = { run, stop };
    if (!this.#live.hasLost) this.#retell();
  }

  /** Takes what was just committed, if it is what this reader lacks next; else the journal has it when there is room. */
  #take(events: readonly CadreEvent[]): void {
    const isNext = this.#page.length === 0 && !this.#hasNews && !this.#isReading && events[0]?.seq === this.#position + 1;
    if (!isNext) return this.#tell();
    this.#page = events;
    this.#isShared = true;
    this.waiting.wake();
  }

  #tell(): void {
    this.#hasNews = true;
    this.waiting.wake();
  }
}
