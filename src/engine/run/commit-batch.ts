import type { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { Transaction } from '../../core/events/transaction.ts';

/** Events and texts that are folded into the state and not in the journal yet. */
export interface UnwrittenEvents {
  readonly events: readonly CadreEvent[];
  readonly contents: readonly ContentEntry[];
}

/** An input that may be refused. */
interface RefusableInput {
  readonly id?: string | undefined;
  readonly waiter?: { readonly reject: (error: CadreError) => void } | undefined;
}

/** Content of one append: the events and texts of one decision, or of several that were held back for it. */
export class CommitBatch implements UnwrittenEvents {
  // Declared, not defined: one is made per append.
  declare readonly expectedSeq: number;
  declare events: CadreEvent[];
  declare contents: ContentEntry[];
  /** Ids of the inputs that it applies. */
  declare inputs: string[] | undefined;

  constructor(expectedSeq: number) {
    this.expectedSeq = expectedSeq;
    this.events = [];
    this.contents = [];
    this.inputs = undefined;
  }

  /** Refuses an input, and takes back its id: delivered again, it is refused again, and not taken for applied. */
  refuse(input: RefusableInput | undefined, error: CadreError): void {
    const place = input?.id === undefined ? -1 : (this.inputs?.lastIndexOf(input.id) ?? -1);
    if (place >= 0) this.inputs?.splice(place, 1);
    input?.waiter?.reject(error);
  }

  /** Appends events and texts. An empty list is replaced by the added one, which then belongs to the batch. */
  add({ events, contents }: UnwrittenEvents): void {
    if (this.events.length === 0) this.events = events as CadreEvent[];
    else for (const event of events) this.events.push(event);
    if (this.contents.length === 0) this.contents = contents as ContentEntry[];
    else if (contents.length > 0) for (const entry of contents) this.contents.push(entry);
  }
}

/** True when a decision may be held back for the next append: it only makes pure tools due. */
export function mayWait(tx: Transaction): boolean {
  if (tx.sync || tx.events.length === 0 || tx.effects.length === 0) return false;
  for (const effect of tx.effects) if (effect.kind !== 'tool' || !effect.pure) return false;
  return true;
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
