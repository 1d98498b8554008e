import { CadreError } from '../../core/error.ts';
import type { ResourceScope, Resource } from '../../core/tool/resource-scope.ts';

interface Kept {
  readonly thing: Promise<Resource<unknown>>;
}

/**
 * The live things of one owner: an agent, a run or an engine.
 *
 * 1. A thing is opened once, however many ask at the same time.
 * 2. When the owner is over, everything is closed, also what is still being opened; nothing is opened any more.
 */
export class Resources implements ResourceScope {
  readonly #owner: string;
  readonly #kept = new Map<string, Kept>();
  #closed: Promise<void> | undefined;

  /** `owner` is for messages: "agent a3 of run …". */
  constructor(owner: string) {
    this.#owner = owner;
  }

  /** Whether there is nothing to close. */
  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  async open<T>(name: string, open: () => Resource<T> | Promise<Resource<T>>): Promise<T> {
    if (this.#closed !== undefined)
      throw new CadreError('ENGINE_CLOSED', `${this.#owner} is over; nothing is opened for it any more`);
    const known = this.#kept.get(name);
    // The name says what it is: whoever asks for it by that name opened it, or would have, the same way.
    if (known !== undefined) return (await (known.thing as Promise<Resource<T>>)).value;
    const thing = Promise.try(open);
    const kept: Kept = { thing };
    this.#kept.set(name, kept);
    try {
      return (await thing).value;
    } catch (thrown) {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
      throw thrown;
    }
  }

  async close(name: string): Promise<void> {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    if (kept !== undefined) await closeThing(kept);
  }

  /** Closes everything; resolves when all of it is closed. What fails to close is over all the same. */
  closeAll(): Promise<void> {
    this.#closed ??= this.#closeEach();
    return this.#closed;
  }

  async #closeEach(): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.allSettled(all.map(closeThing));
  }
}

async function closeThing({ thing }: Kept): Promise<void> {
  // An opening that failed told its callers, and left nothing to close.
  const opened = await thing.catch(() => undefined);
  await opened?.close();
}
