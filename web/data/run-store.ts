import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { applyEvent, startRun } from '../../src/core/fold/apply-event.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { EventAt } from '../../src/inspect/why/cause-chain.ts';
import type { ProfileFacts } from '../../src/inspect/turn/profile-facts.ts';
import type { RequestCard } from '../../src/inspect/requests/request-card.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { turnOfId } from '../../src/inspect/turn/other-turns.ts';
import { ContentCache } from './content-cache.ts';
import { LiveReplies } from './live-replies.ts';
import type { Connection, RunSource } from './run-source.ts';
import { TurnRecords } from './turn-records.ts';

/** Milliseconds for which events are batched before views see them, so that a busy run does not redraw the page all the time. */
const gatherMs = 60;

/**
 * One run in the page: its journal, folded with the engine's own fold. Views are the functions of `src/inspect` over that state,
 * computed again when events arrive (`view`).
 */
export class RunStore {
  readonly runId: string;
  readonly isServed: boolean;
  readonly connection = signal<Connection>({ kind: 'loading' });
  /** Rises with every batch of events. */
  readonly revision = signal(0);
  readonly live = new LiveReplies();
  readonly contents: ContentCache;
  readonly #source: RunSource;
  readonly #events: CadreEvent[] = [];
  readonly #records: TurnRecords;
  readonly #profiles = signal<ReadonlyMap<string, ProfileFacts> | undefined>(undefined);
  readonly #close: () => void;
  #state: RunContext | undefined;
  /** True after an unreadable event: later ones are ignored. */
  #isBroken = false;
  #waiting: CadreEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #areProfilesComing = false;

  constructor(runId: string, source: RunSource) {
    this.runId = runId;
    this.#source = source;
    this.isServed = source.isServed;
    this.contents = new ContentCache(source);
    this.#records = new TurnRecords(this.contents);
    this.#close = source.open({
      events: (events) => this.#gather(events),
      delta: (delta) => this.live.delta(delta),
      progress: (progress) => this.live.tell(progress),
      gap: () => this.live.gap(),
      restart: () => this.live.forget(),
      connection: (connection) => {
        // Shows the loaded events together with the new connection state.
        this.#flush();
        if (!this.#isBroken) this.connection.value = connection;
        if (connection.kind === 'live' || connection.kind === 'over') this.#fetchMissing(source);
      },
    });
    this.#fetchMissing(source);
  }

  /** All events so far, by sequence number from 1. */
  get events(): readonly CadreEvent[] {
    return this.#events;
  }

  readonly eventAt: EventAt = (seq) => this.#events[seq - 1];

  get profiles(): ReadonlyMap<string, ProfileFacts> | undefined {
    return this.#profiles.value;
  }

  /** Current state; undefined before the first event. Read it inside `view` to be updated. */
  get state(): RunContext | undefined {
    return this.#state;
  }

  /** Returns a value computed from the state, again whenever events, texts or profiles arrive; undefined before the first event. */
  view<Value>(compute: (state: RunContext, store: RunStore) => Value): ReadonlySignal<Value | undefined> {
    return computed(() => {
      void this.revision.value;
      void this.contents.revision.value;
      void this.#profiles.value;
      return this.#state === undefined ? undefined : compute(this.#state, this);
    });
  }

  /** Returns the record of a turn, the same object as long as nothing in it changes; undefined when there is none. */
  turn(turnId: string): TurnRecord | undefined {
    const turn = this.#state && turnOfId(this.#state, turnId);
    return turn === undefined || this.#state === undefined ? undefined : this.#records.record(this.#state, turn, this.profiles);
  }

  /** Returns the cards of all pending requests from the server, which sees the files; undefined in a file. */
  async cards(): Promise<readonly RequestCard[] | undefined> {
    return await this.#source.cards?.();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#close();
  }

  /** Loads what failed while the server did not answer. Without profiles, views only lack the places in them. */
  #fetchMissing(source: RunSource): void {
    this.contents.retry();
    if (this.#profiles.peek() !== undefined || this.#areProfilesComing) return;
    this.#areProfilesComing = true;
    source
      .profiles()
      .then(
        (profiles) => (this.#profiles.value = profiles),
        () => undefined,
      )
      .finally(() => (this.#areProfilesComing = false));
  }

  #gather(events: readonly CadreEvent[]): void {
    for (const event of events) this.#waiting.push(event);
    // The first batch is the whole past, which a reader waits for.
    if (this.#state === undefined) queueMicrotask(() => this.#flush());
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    if (this.#isBroken) return;
    const problem = this.#applyAll(events);
    batch(() => {
      this.live.settle(events);
      this.revision.value++;
      if (problem !== undefined) this.connection.value = { kind: 'failed', message: problem };
    });
  }

  /** Applies events up to the first one that fails, from a later version or damaged; returns the problem with it. */
  #applyAll(events: readonly CadreEvent[]): string | undefined {
    try {
      for (const event of events) this.#apply(event);
      return undefined;
    } catch (thrown) {
      // Without this event, later ones would be applied wrongly: keep the state before it.
      this.#isBroken = true;
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  #apply(event: CadreEvent): void {
    if (this.#state !== undefined) applyEvent(this.#state, event);
    else if (event.type === 'run.start') this.#state = startRun(event, 'everything');
    this.#events.push(event);
  }
}
