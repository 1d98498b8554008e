import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../parse/steps.ts';

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
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      const turn = this.turn();
      if (turn !== undefined) await turn;
    }
  }

  async #rest(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
