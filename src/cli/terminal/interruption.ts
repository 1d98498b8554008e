/** Milliseconds within which signals count as one: terminals, npm and launchers each forward a Ctrl-C. */
const sameSignalMs = 250;

/** Signals of Ctrl-C, of a supervisor, and of a terminal that closed or lost its connection. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// Not state of a run: commands of this process with work under way.
const working = new Set<Interruption>();
// Not state of a run: true once unread output stopped work of this process; the command then sets the exit code.
let hasStopped = false;

/** Stops the work of this process because its output can no longer be written; true when there is or was any. */
export function stopOnClosedOutput(): boolean {
  for (const interruption of working) interruption.stop();
  hasStopped ||= working.size > 0;
  return hasStopped;
}

/**
 * Watches for Ctrl-C, SIGTERM and SIGHUP. The first asks to stop: no new work, running tools may finish. The second exits the process
 * immediately; runs can be resumed, as after any crash.
 */
export class Interruption implements Disposable {
  readonly #stop = new AbortController();
  readonly #asked = Promise.withResolvers<void>();
  #last: number | undefined;
  /** Message written to stderr when the second signal exits the process. */
  exitMessage = '';
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    // The terminal is gone: failed writes must not end the process before its tools finish.
    if (signal === 'SIGHUP') for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    this.interrupt();
  };

  /** `onlyReads`: the command only prints recorded data and has no work to stop. */
  constructor({ onlyReads = false }: { readonly onlyReads?: boolean } = {}) {
    for (const signal of signals) process.on(signal, this.#onSignal);
    if (!onlyReads) working.add(this);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves with the first signal. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Handles a signal; prompts call it for a Ctrl-C that they read as a key. */
  interrupt(): void {
    const now = performance.now();
    const isEcho = this.#last !== undefined && now - this.#last < sameSignalMs;
    this.#last = now;
    if (isEcho) return;
    if (this.signal.aborted) {
      process.stderr.write(this.exitMessage);
      process.exit(130);
    }
    this.stop();
  }

  /** Asks to stop, as the first signal does; never exits the process. */
  stop(): void {
    this.#stop.abort(new Error('interrupted'));
    this.#asked.resolve();
  }

  [Symbol.dispose](): void {
    working.delete(this);
    for (const signal of signals) process.removeListener(signal, this.#onSignal);
  }
}
