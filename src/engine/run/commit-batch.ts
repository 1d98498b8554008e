import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { Transaction } from '../../core/events/transaction.ts';

/** Events and texts that are folded into the state and not in the journal yet. */
export interface UnwrittenEvents {
  readonly events: readonly CadreEvent[];
  readonly contents: readonly ContentEntry[];
}

/** Content of one append: the events and texts of one decision, or of several that were held back for it. */
export class CommitBatch implements UnwrittenEvents {
  readonly expectedSeq: number;
  /** Ids of the inputs that it applies. */
  inputs: string[] | undefined;
  #events: CadreEvent[] = [];
  #contents: ContentEntry[] = [];

  constructor(expectedSeq: number) {
    this.expectedSeq = expectedSeq;
  }

  get events(): readonly CadreEvent[] {
    return this.#events;
  }

  get contents(): readonly ContentEntry[] {
    return this.#contents;
  }

  /** Appends events and texts. An empty batch takes over a transaction's lists. */
  add(more: UnwrittenEvents | Transaction): void {
    this.#events = appended(this.#events, more.events as CadreEvent[]);
    this.#contents = appended(this.#contents, more.contents as ContentEntry[]);
  }
}

function appended<Item>(list: Item[], more: Item[]): Item[] {
  if (list.length === 0) return more;
  for (const item of more) list.push(item);
  return list;
}

/** True when a decision may be held back for the next append: it only makes pure tools due, and no caller waits for it. */
export function mayWait(tx: Transaction, isAwaited: boolean): boolean {
  if (isAwaited || tx.sync || tx.events.length === 0 || tx.effects.length === 0) return false;
  return tx.effects.every((effect) => effect.kind === 'tool' && effect.pure);
}

/** Commit that waits to be appended together with the next one, at most to the end of this tick of the event loop. */
export class HeldCommit {
  /** Batch that is held back. */
  batch: CommitBatch | undefined;
  /** True at the end of the tick: the batch is to be appended now, alone or with another. */
  isDue = false;
  #isTickEndAwaited = false;
  readonly #defer: (callback: () => void) => void;
  readonly #wake: () => void;

  /** Calls `wake` once the held batch is due. */
  constructor(defer: (callback: () => void) => void, wake: () => void) {
    this.#defer = defer;
    this.#wake = wake;
  }

  /** Holds a batch back, or extends the held one. */
  hold(batch: CommitBatch): void {
    const isFirst = this.batch === undefined;
    this.batch = batch;
    if (!isFirst || this.#isTickEndAwaited) return;
    this.#isTickEndAwaited = true;
    this.#defer(this.#onTickEnd);
  }

  readonly #onTickEnd = (): void => {
    this.#isTickEndAwaited = false;
    if (this.batch === undefined) return;
    this.isDue = true;
    this.#wake();
  };
}
