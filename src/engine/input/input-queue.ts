import type { Transaction } from '../../core/events/transaction.ts';
import type { Input } from '../run/input.ts';

/** Most inputs decided in one commit: more would block the event loop. */
const inputsPerCommit = 64;

/** An input, and the promise that settles with the commit of what it decided. */
export interface Entry {
  readonly input: Input;
  /** Id under which its commit records it. */
  readonly id?: string | undefined;
  readonly waiter?: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
}

/** Undecided inputs of a run, in order of arrival; the rest of a full decision comes before them. */
export class InputQueue {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Puts the rest of a full decision before everything else; false when there is none. */
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

  /** Takes all inputs. */
  clear(): readonly Entry[] {
    return this.#entries.splice(0);
  }
}
