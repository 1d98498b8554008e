import { setImmediate } from 'node:timers/promises';

/** Longest work between two turns of the event loop, in milliseconds. */
const sliceMs = 8;

/** Keeps long work from blocking the event loop: lets it turn after each few milliseconds of work. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  /** Work ends at its next turn when `signal` aborts. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Returns a promise to await when the event loop is due, else undefined. */
  turn(): Promise<void> | undefined {
    return performance.now() - this.#since < sliceMs ? undefined : this.#rest();
  }

  /** Does work in steps, with turns of the event loop between them. */
  async run<Result>(steps: Generator<unknown, Result>): Promise<Result> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      await this.turn();
    }
  }

  async #rest(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}

/** Does work in steps without a turn of the event loop between them. */
export function runAtOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
