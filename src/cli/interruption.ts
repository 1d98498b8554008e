/** Signals within this time of each other are one: terminals, npm and launchers each hand a Ctrl-C on. In milliseconds. */
const sameSignalMs = 250;

/** Watches for Ctrl-C: the first one asks to stop, the second one ends the process at once. */
export class Interruption implements Disposable {
  readonly #stop = new AbortController();
  readonly #told = Promise.withResolvers<void>();
  #last: number | undefined;
  readonly #onSignal = (): void => this.interrupt();

  constructor() {
    process.on('SIGINT', this.#onSignal);
    process.on('SIGTERM', this.#onSignal);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves with the first signal. */
  get asked(): Promise<void> {
    return this.#told.promise;
  }

  /** What a signal does; also called for a Ctrl-C that a prompt reads as a key. */
  interrupt(): void {
    const now = performance.now();
    const isEcho = this.#last !== undefined && now - this.#last < sameSignalMs;
    this.#last = now;
    if (isEcho) return;
    if (this.signal.aborted) process.exit(130);
    this.#stop.abort(new Error('interrupted'));
    this.#told.resolve();
  }

  [Symbol.dispose](): void {
    process.removeListener('SIGINT', this.#onSignal);
    process.removeListener('SIGTERM', this.#onSignal);
  }
}
