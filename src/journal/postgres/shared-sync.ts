/** Shares work among those who ask for it: requests made while it runs share the next one. */
export class SharedSync {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when work that began after this request is done. */
  request(): Promise<void> {
    this.#next ??= this.#run();
    return this.#next;
  }

  async #run(): Promise<void> {
    await this.#running?.catch(() => undefined);
    const own = this.#next;
    this.#running = own;
    this.#next = undefined;
    await this.#work();
  }
}
