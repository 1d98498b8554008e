import type { ClientBase } from 'pg';

/** Milliseconds without an answer after which the server is asked about a statement, and between later questions. */
const lookMs = 2_000;
/** Milliseconds between the two looks that find an answer lost: it may still be on its way. */
const secondLookMs = 1_000;
/** Milliseconds within which the server answers a new connection; otherwise the network is silent. */
const answerMs = 3_000;

/** Asks the server, on a new connection, which of its processes are working; `onAnswer` is called once it has let the connection in. */
export type AskServer = (
  pids: readonly number[],
  listener: { readonly signal: AbortSignal; readonly onAnswer: () => void },
) => Promise<ReadonlySet<number>>;

/** A connection that waits for an answer. */
interface Waiting {
  readonly client: ClientBase;
  /** The server's process; undefined while it is not known. */
  readonly pid: number | undefined;
  bytes: number;
  /** The server was not working on it at the last look. */
  isStruck: boolean;
}

/** The socket of a client; the types of the driver lack it. */
interface Wire {
  readonly connection: { readonly stream: { readonly bytesRead?: number; destroy(error: Error): void } };
}

/**
 * Notices in seconds that the network has gone silent: TCP alone would take minutes.
 *
 * 1. A statement may take as long as the server works on it: whether it does is asked on a new connection.
 * 2. A connection is destroyed when nothing arrives on it, and either the server does not work on its statement, or it answers no one.
 */
export class SilenceWatch {
  readonly #ask: AskServer;
  readonly #waiting = new Set<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;

  constructor(ask: AskServer) {
    this.#ask = ask;
  }

  /** Waits for a statement that was sent; a silent connection fails it with an error of the connection. */
  async guard<T>(client: ClientBase, pid: number | undefined, statement: Promise<T>): Promise<T> {
    const waiting: Waiting = { client, pid, bytes: bytesOf(client), isStruck: false };
    // Long enough that most statements set no timer of their own.
    const begin = setTimeout(() => {
      this.#waiting.add(waiting);
      void this.#look();
    }, lookMs).unref();
    try {
      return await statement;
    } finally {
      clearTimeout(begin);
      this.#waiting.delete(waiting);
      if (this.#waiting.size === 0) clearTimeout(this.#timer);
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    clearTimeout(this.#timer);
    const asked = [...this.#waiting].filter((waiting) => !hasMoved(waiting));
    const working = asked.length === 0 ? undefined : await this.#answer(asked.flatMap(({ pid }) => pid ?? []));
    for (const waiting of asked) this.#judge(waiting, working);
    this.#isLooking = false;
    if (this.#waiting.size === 0) return;
    const isStruck = [...this.#waiting].some((waiting) => waiting.isStruck);
    this.#timer = setTimeout(() => void this.#look(), isStruck ? secondLookMs : lookMs).unref();
  }

  #judge(waiting: Waiting, working: ReadonlySet<number> | 'silent' | undefined): void {
    if (!this.#waiting.has(waiting) || hasMoved(waiting) || working === undefined) return;
    const wasStruck = waiting.isStruck;
    waiting.isStruck = working !== 'silent' && waiting.pid !== undefined && !working.has(waiting.pid);
    if (working !== 'silent' && !(wasStruck && waiting.isStruck)) return;
    this.#waiting.delete(waiting);
    const why = working === 'silent' ? 'the server answers no connection' : 'the server is not working on it';
    wireOf(waiting.client).connection.stream.destroy(silentConnection(why));
  }

  /** Asks the server; undefined when it answered and cannot tell, as one without a free connection. */
  async #answer(pids: readonly number[]): Promise<ReadonlySet<number> | 'silent' | undefined> {
    const limit = new AbortController();
    let hasAnswered = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<'silent' | undefined>((resolve) => {
      // A process that stood still finds answers in its sockets first.
      timer = setTimeout(() => setImmediate(() => resolve(hasAnswered ? undefined : 'silent')), answerMs);
    });
    try {
      return await Promise.race([this.#ask(pids, { signal: limit.signal, onAnswer: () => (hasAnswered = true) }), silence]);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      limit.abort();
    }
  }
}

/** Error of a connection on which nothing arrives any more. */
function silentConnection(why: string): Error {
  return Object.assign(new Error(`no answer to a statement, and ${why}; the connection was given up`), { code: 'ETIMEDOUT' });
}

/** True when something arrived since the last look. */
function hasMoved(waiting: Waiting): boolean {
  const bytes = bytesOf(waiting.client);
  const moved = bytes !== waiting.bytes;
  waiting.bytes = bytes;
  if (moved) waiting.isStruck = false;
  return moved;
}

function bytesOf(client: ClientBase): number {
  return wireOf(client).connection.stream.bytesRead ?? 0;
}

function wireOf(client: ClientBase): Wire {
  return client as ClientBase & Wire;
}
