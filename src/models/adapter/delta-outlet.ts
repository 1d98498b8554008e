import { describeThrown } from '../../core/error.ts';
import type { ModelDelta } from '../../core/model/model.ts';

/** Publishes the numbered pieces of one attempt's reply. */
export class DeltaOutlet {
  /** Set once the subscriber has thrown: it gets no more, and the reply is unaffected. */
  warning: string | undefined;
  readonly #attempt: number;
  #onDelta: ((delta: ModelDelta) => void) | undefined;
  #published = 0;

  constructor(attempt: number, onDelta: ((delta: ModelDelta) => void) | undefined) {
    this.#attempt = attempt;
    this.#onDelta = onDelta;
  }

  /** Publishes a piece of text or reasoning, or of a call's arguments. */
  publish(kind: ModelDelta['kind'], text: string, callId?: string, toolName = ''): void {
    if (this.#onDelta === undefined) return;
    this.#published += 1;
    const attempt = this.#attempt;
    const n = this.#published;
    try {
      this.#onDelta(callId === undefined ? { attempt, n, kind, text } : { attempt, n, kind, text, callId, toolName });
    } catch (thrown) {
      this.#onDelta = undefined;
      this.warning = `the reader of the deltas failed and got no more of them: ${describeThrown(thrown)}`;
    }
  }
}
