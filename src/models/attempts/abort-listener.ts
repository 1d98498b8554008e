/** Something that a cancel ends. */
export interface Cancellable {
  cancelled(): void;
}

/**
 * Listener of a signal that forgets what it listens for once that is over.
 *
 * V8 may allocate the list of a signal's listeners among the old objects, where the list outlives the signal: everything that a listener
 * refers to would then be kept until the next full collection. A whole attempt (its stream, its reply) cost a third of a turn in this way.
 */
export class AbortListener {
  #listening: Cancellable | undefined;

  constructor(listening: Cancellable) {
    this.#listening = listening;
  }

  listenTo(signal: AbortSignal): void {
    signal.addEventListener('abort', this);
  }

  /** Called by the signal. */
  handleEvent(): void {
    this.#listening?.cancelled();
  }

  /** Ends the listening; the signal is not kept here, for the same reason. */
  stop(signal: AbortSignal): void {
    this.#listening = undefined;
    signal.removeEventListener('abort', this);
  }
}
