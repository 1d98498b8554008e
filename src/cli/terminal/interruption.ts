/** Signals within this time of each other are one: terminals, npm and launchers each hand a Ctrl-C on. In milliseconds. */
const sameSignalMs = 250;

/** What asks a process to end: Ctrl-C, a supervisor, a terminal that was closed or lost its connection. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// Not state of a run: the commands of this process that have work under way.
const working = new Set<Interruption>();
// Not state of a run: work of this process was stopped since its output went unread. Its command says how it ended.
let hasStopped = false;

/** Stops the work of this process because what it prints can be written no more; tells whether there is or was any. */
export function stopUnread(): boolean {
  for (const interruption of working) interruption.stop();
  hasStopped ||= working.size > 0;
  return hasStopped;
}

/**
 * Watches for Ctrl-C, SIGTERM and SIGHUP. The first asks to stop: no new work, tools that run may end. The second ends the process
 * at once; what it leaves can be resumed, like after any other end of a process.
 */
export class Interruption implements Disposable {
  readonly #stop = new AbortController();
  readonly #told = Promise.withResolvers<void>();
  #last: number | undefined;
  /** What is said on stderr when the process is ended at once. */
  lastWords = '';
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    // What is said from now on reaches nobody, and must not end the process before its tools have.
    if (signal === 'SIGHUP') for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    this.interrupt();
  };

  /** `onlyReads`: the command prints what is on record, and has no work that could be left in the middle. */
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
    return this.#told.promise;
  }

  /** What a signal does; also called for a Ctrl-C that a prompt reads as a key. */
  interrupt(): void {
    const now = performance.now();
    const isEcho = this.#last !== undefined && now - this.#last < sameSignalMs;
    this.#last = now;
    if (isEcho) return;
    if (this.signal.aborted) {
      process.stderr.write(this.lastWords);
      process.exit(130);
    }
    this.stop();
  }

  /** Asks to stop, as the first signal does; never ends the process. */
  stop(): void {
    this.#stop.abort(new Error('interrupted'));
    this.#told.resolve();
  }

  [Symbol.dispose](): void {
    working.delete(this);
    for (const signal of signals) process.removeListener(signal, this.#onSignal);
  }
}
