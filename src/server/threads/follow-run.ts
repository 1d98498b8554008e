import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { Run } from '../../engine/run.ts';
import type { LiveReplies, MergedReply } from './live-replies.ts';

/** News for a follower, in order. */
export type RunNews =
  | { readonly kind: 'event'; readonly event: CadreEvent }
  | { readonly kind: 'delta'; readonly agentId: AgentId; readonly turnId: TurnId; readonly delta: ModelDelta }
  /** A reply so far, for a follower that starts in its middle or was too slow for its deltas. */
  | { readonly kind: 'reply'; readonly reply: MergedReply };

/** Start of the news, and signal to stop before the end. */
export interface FollowOptions {
  /** Sequence number after which events are returned. */
  readonly after: number;
  readonly signal: AbortSignal;
}

const pageSize = 500;
/** Maximum number of news kept for a slow reader; dropped events are read from the journal. */
const maxWaiting = 2_000;

interface NewsSources {
  readonly journal: Pick<Journal, 'read'>;
  readonly live: LiveReplies;
}

/**
 * Follows a run until it has settled: its events without a gap, and deltas of its replies between them.
 *
 * 1. A slow reader never slows the run: its deltas are dropped, and it gets the reply so far instead.
 * 2. It ends once nothing is running and everything was read; it throws when the run cannot continue in this process.
 */
export async function* followRun(
  run: Run,
  { journal, live }: NewsSources,
  { after, signal }: FollowOptions,
): AsyncGenerator<RunNews> {
  const news = new News(run, live, signal);
  let last = after;
  try {
    while (!signal.aborted) {
      if (news.takeGap()) {
        const soFar = live.replies;
        for await (const event of eventsAfter(journal, run, last)) {
          last = event.seq;
          yield { kind: 'event', event };
        }
        for (const reply of soFar) yield { kind: 'reply', reply };
        continue;
      }
      for (const item of news.take()) {
        if (item.kind === 'event') {
          if (item.event.seq <= last) continue;
          last = item.event.seq;
        }
        yield item;
      }
      if (await news.isOver(last)) return;
      await news.more();
    }
  } finally {
    news.stop();
  }
}

async function* eventsAfter(journal: Pick<Journal, 'read'>, run: Run, after: number): AsyncGenerator<CadreEvent> {
  for (let last = after; ;) {
    const page = await journal.read(run.id, { after: last, limit: pageSize });
    yield* page;
    last = page.at(-1)?.seq ?? last;
    if (page.length < pageSize) return;
  }
}

/** News since a reader's last take. */
class News {
  readonly #run: Run;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  #waiting: RunNews[] = [];
  /** True when news were dropped, which the journal has; initially true, for the events before. */
  #hasGap = true;
  #settling = false;
  #settled = false;
  #isLeft = false;
  #halted: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(run: Run, live: LiveReplies, signal: AbortSignal) {
    this.#run = run;
    this.#signal = signal;
    this.#leave = live.add({
      onEvents: (events) => {
        this.#settled = false;
        this.#isLeft = false;
        for (const event of events) this.#add({ kind: 'event', event });
      },
      onDelta: (agentId, turnId, delta) => this.#add({ kind: 'delta', agentId, turnId, delta }),
      onHalt: (error) => {
        this.#halted = error;
        this.#wakeUp();
      },
    });
    signal.addEventListener('abort', this.#wakeUp);
  }

  /** True when nothing is running, and everything up to the newest event was taken. */
  async isOver(last: number): Promise<boolean> {
    if (!this.#isQuiet(last)) return false;
    // A message may have arrived since the run was found at rest.
    await this.#run.settled();
    if (!this.#isQuiet(last)) return false;
    // At rest with calls in progress: the engine is closing and will halt the run in a moment.
    this.#isLeft = this.#run.state.status === 'running';
    this.#settled = !this.#isLeft;
    return this.#settled;
  }

  /** Returns and clears whether news were dropped. Waiting news are dropped with them: the journal and the replies so far have them all. */
  takeGap(): boolean {
    const hasGap = this.#hasGap;
    this.#hasGap = false;
    if (hasGap) this.#waiting = [];
    return hasGap;
  }

  take(): readonly RunNews[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** Resolves when there is more to take, or nothing is running any more. */
  async more(): Promise<void> {
    if (!this.#isLeft) this.#watchSettling();
    if (this.#waiting.length === 0 && !this.#hasGap && !this.#settled && !this.#signal.aborted && this.#halted === undefined)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#halted !== undefined) throw this.#halted;
  }

  stop(): void {
    this.#signal.removeEventListener('abort', this.#wakeUp);
    this.#leave();
  }

  #isQuiet(last: number): boolean {
    return this.#settled && this.#waiting.length === 0 && !this.#hasGap && last >= this.#run.state.seq;
  }

  #add(news: RunNews): void {
    this.#hasGap ||= this.#waiting.length >= maxWaiting;
    if (!this.#hasGap) this.#waiting.push(news);
    this.#wakeUp();
  }

  #watchSettling(): void {
    if (this.#settling || this.#settled) return;
    this.#settling = true;
    const done = (): void => {
      this.#settling = false;
      this.#settled = true;
      this.#wakeUp();
    };
    // A run that halts reports it through `onHalt`.
    this.#run.settled().then(done, done);
  }

  readonly #wakeUp = (): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  };
}
