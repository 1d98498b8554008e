import { setTimeout as pause } from 'node:timers/promises';
import { Connections, type ConnectionOptions } from './connections.ts';
import { loadDriver } from './load-driver.ts';
import { isConnectionFailure, isRefusedForNow } from './postgres-failure.ts';
import { openSchema, type SchemaOptions } from './postgres-schema.ts';

/** Milliseconds that reading and taking a run wait for a server that has gone away, and between two tries, at most. */
const patienceMs = 30_000;
const longestPauseMs = 1_000;

/** Link to the server: connects when it is first used, and waits for a server that has gone away. */
export class ServerLink {
  readonly #options: ConnectionOptions & SchemaOptions;
  #connections: Connections | undefined;
  #opening: Promise<Connections> | undefined;
  #wasOpen = false;
  #isClosed = false;

  constructor(options: ConnectionOptions & SchemaOptions) {
    this.#options = options;
  }

  /** Returns connections to a server whose schema has been checked. */
  readonly connections = async (): Promise<Connections> => {
    const opening = (this.#opening ??= this.#open());
    try {
      return await opening;
    } catch (thrown) {
      // The next use tries again.
      if (this.#opening === opening) this.#opening = undefined;
      throw thrown;
    }
  };

  /**
   * Does work that may be done again; while the server is away it is tried again for a while. Not at the first contact: a wrong address is
   * reported at once.
   */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    const end = performance.now() + patienceMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        return await work();
      } catch (thrown) {
        if (!mayPass(thrown) || !this.#wasOpen || this.#isClosed || performance.now() > end) throw thrown;
      }
      await pause(pauseMs);
    }
  }

  /** Ends all waiting; running statements end by themselves. */
  stopWaiting(): void {
    this.#isClosed = true;
    this.#connections?.stopWaiting();
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connections = await this.#opening?.catch(() => undefined);
    await connections?.close();
  }

  async #open(): Promise<Connections> {
    const connections = new Connections(await loadDriver(), this.#options);
    this.#connections = connections;
    try {
      await openSchema(connections, this.#options);
      this.#wasOpen = true;
      return connections;
    } catch (thrown) {
      await connections.close();
      throw thrown;
    }
  }
}

/** True when the work may succeed soon: the connection failed, no connection was free, or other work was in the way. */
function mayPass(thrown: unknown): boolean {
  if (isConnectionFailure(thrown) || isRefusedForNow(thrown)) return true;
  return thrown instanceof Error && 'code' in thrown && (thrown.code === '40001' || thrown.code === '40P01');
}
