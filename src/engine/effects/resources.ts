import { CadreError } from '../../core/error.ts';
import type { ResourceScope, Resource } from '../../core/tool/resource-scope.ts';

interface Kept {
  readonly thing: Promise<Resource<unknown>>;
}

/**
 * Live resources of one owner: an agent, a run or an engine.
 *
 * 1. A resource is opened once, however many callers ask at the same time.
 * 2. When the owner ends, every resource is closed, including those still opening; none is opened afterwards.
 */
export class Resources implements ResourceScope {
  readonly #owner: string;
  readonly #kept = new Map<string, Kept>();
  #closed: Promise<void> | undefined;

  /** `owner` is for messages: "agent a3 of run …". */
  constructor(owner: string) {
    this.#owner = owner;
  }

  /** True when there are no resources to close. */
  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  async open<T>(name: string, open: () => Resource<T> | Promise<Resource<T>>): Promise<T> {
    if (this.#closed !== undefined)
      throw new CadreError('ENGINE_CLOSED', `${this.#owner} is over; nothing is opened for it any more`);
    const known = this.#kept.get(name);
    // A name implies its type: all callers that use the name open the same resource in the same way.
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

  /** Closes every resource; resolves when all are closed. A resource that fails to close counts as closed. */
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
  // A failed opening was reported to its callers and left no resource to close.
  const opened = await thing.catch(() => undefined);
  await opened?.close();
}
