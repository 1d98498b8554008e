/** A wake-up signal for one waiter; a signal sent while there is no waiter is kept. */
export class Waiting {
  #hasNews = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Resolves when there is news, or after `ms` milliseconds. */
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
