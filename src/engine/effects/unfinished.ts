/** Milliseconds after which a close says what it waits for. */
const toldAfterMs = 10_000;

/**
 * Work of the engine itself that writes, and that runs on when nothing waits for its outcome: the engine's tools that change files, snapshots.
 * It is over before the engine has closed.
 */
export class Unfinished {
  readonly #work = new Map<Promise<void>, string>();

  /** Adds work; its failure is reported elsewhere. `what` names it for people. */
  add(what: string, work: PromiseLike<unknown>): void {
    const over = Promise.resolve(work)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#work.delete(over));
    this.#work.set(over, what);
  }

  /** Resolves when all of it is over. A disk that does not answer is waited for: what it has begun to write cannot be taken back. */
  async settled(): Promise<void> {
    const timer = setTimeout(() => {
      const names = [...new Set(this.#work.values())].join(', ');
      if (names !== '') process.emitWarning(`the engine closes once what it writes is written: ${names}`, 'CadreWarning');
    }, toldAfterMs);
    timer.unref();
    while (this.#work.size > 0) await Promise.all(this.#work.keys());
    clearTimeout(timer);
  }
}
