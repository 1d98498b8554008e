/** Milliseconds that work waits for a connection of the pool to become free, at most. */
const longestWaitMs = 60_000;

/** Work waiting for a slot. */
interface Waiting {
  readonly take: () => void;
}

/**
 * Slots for the connections of a pool, in the order in which work asks for them: waiting for the work before is not a failure to connect.
 */
export class Slots {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot; `isAgain` comes before work that waits for its first one. Throws when none became free for a minute. */
  async take(isAgain = false): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(isAgain);
  }

  /** Gives a slot to the work that waits, or keeps it for the next one. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.take();
  }

  async #wait(isAgain: boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        take: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(
          Object.assign(
            new Error(`none of the pool's connections became free in ${longestWaitMs / 1_000} s; raise maxConnections`),
            {
              code: 'ETIMEDOUT',
            },
          ),
        );
      }, longestWaitMs);
      if (isAgain) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
    });
  }
}
