/** Shares work among those who ask for it: requests made while it runs share the next one. */
export class SharedSync {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Work that was asked for last and is not done; undefined when there is none. */
  get last(): Promise<void> | undefined {
    return this.#next ?? this.#running;
  }

  /** Resolves when work that began after this request is done. */
  request(): Promise<void> {
    this.#next ??= this.#run();
    return this.#next;
  }

  async #run(): Promise<void> {
    // Those who asked for the work before have its error.
    await this.#running?.catch(() => undefined);
    const own = this.#next;
    this.#running = own;
    this.#next = undefined;
    try {
      await this.#work();
    } finally {
      if (this.#running === own) this.#running = undefined;
    }
  }
}
