import type { Transaction } from '../../core/events/transaction.ts';
import type { Input } from '../run/input.ts';

/** Inputs that are decided in one commit at most: more would keep the event loop from turning. */
const inputsPerCommit = 64;

/** An input, and the promise that settles with the commit of what it decided. */
export interface Entry {
  readonly input: Input;
  readonly waiter?: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
}

/** The inputs of a run that are not decided yet, in the order in which they came; what a full decision left comes before them. */
export class InputQueue {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Puts what a full decision left before everything else; false when it left nothing. */
  pushRest(tx: Transaction): boolean {
    const agentIds = tx.isFull ? tx.unsettled : [];
    if (agentIds.length === 0) return false;
    this.#entries.unshift({ input: { kind: 'settle', agentIds } });
    return true;
  }

  /** Takes the inputs of the next commit. The rest of a full decision gets a commit to itself. */
  next(): readonly Entry[] {
    return this.#entries.splice(0, this.#entries[0]?.input.kind === 'settle' ? 1 : inputsPerCommit);
  }

  /** Takes all of them. */
  clear(): readonly Entry[] {
    return this.#entries.splice(0);
  }
}
