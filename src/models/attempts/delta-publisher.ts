import { describeThrown } from '../../core/error.ts';
import type { ModelDelta } from '../../core/model/model.ts';

/** Publishes numbered pieces of one attempt. A subscriber that throws gets no more pieces; the reply is unaffected. */
export class DeltaPublisher {
  readonly #attempt: number;
  #onDelta: ((delta: ModelDelta) => void) | undefined;
  #published = 0;
  #failure: string | undefined;

  constructor(attempt: number, onDelta: ((delta: ModelDelta) => void) | undefined) {
    this.#attempt = attempt;
    this.#onDelta = onDelta;
  }

  /** Warning about the subscriber; undefined without a failure. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Publishes a piece of text or reasoning. */
  words(kind: 'text' | 'reasoning', text: string): void {
    if (this.#onDelta !== undefined) this.#publish({ attempt: this.#attempt, n: this.#next(), kind, text });
  }

  /** Publishes a piece of a call's arguments. */
  input(callId: string, toolName: string, text: string): void {
    if (this.#onDelta === undefined) return;
    this.#publish({ attempt: this.#attempt, n: this.#next(), kind: 'tool-input', text, callId, toolName });
  }

  #next(): number {
    this.#published += 1;
    return this.#published;
  }

  #publish(delta: ModelDelta): void {
    try {
      this.#onDelta?.(delta);
    } catch (thrown) {
      this.#onDelta = undefined;
      this.#failure = `the reader of the deltas failed and got no more of them: ${describeThrown(thrown)}`;
    }
  }
}
