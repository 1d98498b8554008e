import type { Transaction } from '../../core/events/transaction.ts';
import type { Input } from '../run/input.ts';

/** Most inputs decided in one commit: more would block the event loop. */
const inputsPerCommit = 16;

/** Caller that waits for the commit of what an input decides. */
export interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** An input, and the caller that waits for it. */
export interface Entry {
  readonly input: Input;
  /** Id under which its commit records it. */
  readonly id?: string | undefined;
  readonly waiter?: Waiter | undefined;
}

/** Undecided inputs of a run, in order of arrival; the rest of a full decision comes before them. */
export class InputQueue {
  readonly #entries: Entry[] = [];
  /** Number of entries. */
  size = 0;

  push(entry: Entry): void {
    this.size = this.#entries.push(entry);
  }

  /** Puts the rest of a full decision before everything else; false when there is none. */
  pushRest(tx: Transaction): boolean {
    const agentIds = tx.isFull ? tx.unsettled : [];
    if (agentIds.length === 0) return false;
    this.size = this.#entries.unshift({ input: { kind: 'settle', agentIds } });
    return true;
  }

  /** Takes the inputs of the next commit. The rest of a full decision gets a commit to itself. */
  next(): readonly Entry[] {
    const entries = this.#entries;
    const count = entries[0]?.input.kind === 'settle' ? 1 : inputsPerCommit;
    const taken = entries.splice(0, count);
    this.size = entries.length;
    return taken;
  }

  /** Takes all inputs. */
  clear(): readonly Entry[] {
    this.size = 0;
    return this.#entries.splice(0);
  }
}
