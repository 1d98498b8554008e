import type { Client } from 'pg';
import type { Connections, Session } from './connections.ts';

/** Milliseconds between tries to open a lost session again: at first, and at most. */
const firstPauseMs = 50;
const longestPauseMs = 2_000;
/** Milliseconds between two signs that the session still carries anything: it mostly waits, and would not notice its loss. */
const pulseMs = 5_000;

/** Settings of a `LockSession`. */
interface SessionParts {
  readonly connections: () => Promise<Connections>;
  /** First key of the advisory locks. */
  readonly lockClass: number;
  /** Receives the text of each notification; undefined after notifications of a channel may have been missed. */
  readonly onNews: (channel: string, text: string | undefined) => void;
}

/**
 * Connection whose session shows other processes that this one lives, by advisory locks, and receives notifications.
 *
 * 1. A killed process loses its session, and with it the locks, as soon as its system closes the connection.
 * 2. A lost session is opened again while it is needed, immediately and then with growing pauses. One that has gone silent counts as lost.
 */
export class LockSession {
  readonly #parts: SessionParts;
  readonly #wanted = new Set<number>();
  readonly #locked = new Set<number>();
  /** Channels to listen to, and those that the session listens to. */
  readonly #channels = new Set<string>();
  readonly #heard = new Set<string>();
  #session: Session | undefined;
  #pulse: ReturnType<typeof setInterval> | undefined;
  #working: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = 0;
  #isClosed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Locks a key for as long as the session lasts; resolves once it is locked. */
  async hold(key: number): Promise<void> {
    this.#wanted.add(key);
    await this.restore();
  }

  /** Begins to receive the notifications of a channel. */
  listen(channel: string): void {
    this.#channels.add(channel);
    void this.restore().catch(() => this.#openLater());
  }

  /** Ends that. */
  unlisten(channel: string): void {
    this.#channels.delete(channel);
    // A session that is lost hears nothing anyway.
    if (this.#session !== undefined) void this.restore().catch(() => this.#openLater());
  }

  /** Opens the session if it was lost, and takes what it lacks. */
  async restore(): Promise<void> {
    if (this.#isClosed) return;
    // What was asked for during a restoration is taken by the next one.
    while (this.#working !== undefined) await this.#working.catch(() => undefined);
    this.#working = this.#restore().finally(() => (this.#working = undefined));
    await this.#working;
  }

  /** Closes the session, which frees its locks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#pulse);
    await this.#working?.catch(() => undefined);
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    keepAlive(session.client, true);
    await (await this.#parts.connections()).closeSession(session);
  }

  async #restore(): Promise<void> {
    const session = (this.#session ??= await this.#open());
    keepAlive(session.client, true);
    try {
      await this.#complete(session);
    } finally {
      // An open journal keeps no process alive.
      keepAlive(session.client, false);
    }
  }

  async #complete({ query }: Session): Promise<void> {
    for (const key of this.#wanted) {
      if (this.#locked.has(key)) continue;
      // A lost session of this process may keep it locked for a while: then it shows the same.
      const [row] = await query('SELECT pg_try_advisory_lock($1, $2) AS locked', [this.#parts.lockClass, key]);
      if (row?.['locked'] === true) this.#locked.add(key);
    }
    for (const channel of this.#channels) {
      if (this.#heard.has(channel)) continue;
      await query(`LISTEN "${channel}"`);
      this.#heard.add(channel);
      this.#parts.onNews(channel, undefined);
    }
    for (const channel of this.#heard) {
      if (this.#channels.has(channel)) continue;
      await query(`UNLISTEN "${channel}"`);
      this.#heard.delete(channel);
    }
    this.#pauseMs = 0;
  }

  async #open(): Promise<Session> {
    const connections = await this.#parts.connections();
    const session = await connections.openSession();
    const { client } = session;
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ channel, payload }) => this.#parts.onNews(channel, payload ?? ''));
    clearInterval(this.#pulse);
    // A statement that fails ends the session, and that is noticed. LISTEN again: the server's views show what a session was last asked.
    this.#pulse = setInterval(() => {
      const channel = [...this.#heard].at(-1);
      void session.query(channel === undefined ? 'SELECT 1' : `LISTEN "${channel}"`).catch(() => undefined);
    }, pulseMs).unref();
    return session;
  }

  #lose(client: Client): void {
    if (this.#session?.client !== client) return;
    this.#session = undefined;
    clearInterval(this.#pulse);
    this.#locked.clear();
    this.#heard.clear();
    this.#openLater();
  }

  #openLater(): void {
    if (this.#isClosed || (this.#wanted.size === 0 && this.#channels.size === 0)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.restore().catch(() => this.#openLater()), this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
  }
}

/** Lets a connection keep the process alive, or not. The types of the driver lack both methods. */
function keepAlive(client: Client, isNeeded: boolean): void {
  const socket = client as Client & Readonly<Record<'ref' | 'unref', () => void>>;
  if (isNeeded) socket.ref();
  else socket.unref();
}
