/** Somebody waits for news; news that comes while nobody waits is not lost. */
export class Waiting {
  #hasNews = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Resolves when there is news, or when the time is over. */
  async until(ms: number): Promise<void> {
    if (!this.#hasNews) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#hasNews = false;
  }
}
