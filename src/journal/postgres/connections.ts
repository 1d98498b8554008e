import { setTimeout as pause } from 'node:timers/promises';
import type { Client, ClientBase, ClientConfig, Pool, PoolClient, QueryConfig } from 'pg';
import type { Driver } from './load-driver.ts';
import { isConnectionFailure, isRefusedForNow } from './postgres-failure.ts';
import { type AskServer, SilenceWatch } from './silence-watch.ts';
import { Slots } from './slots.ts';

/** Row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement. One with a name is prepared once per connection. */
export type Sql = (text: string, values?: readonly unknown[], name?: string) => Promise<readonly Row[]>;

/** A connection outside the pool; `query` notices a silent network. */
export interface Session {
  readonly client: Client;
  readonly query: Sql;
}

/** A connection of the pool, while work has it. */
interface PooledSql {
  readonly query: Sql;
  /** Takes the connection out of the pool after the work. */
  readonly discard: (thrown: unknown) => void;
}

/** Settings of the connections to a server. */
export interface ConnectionOptions {
  /** URL with the password. */
  readonly url: string;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

type TypeId = Parameters<Driver['types']['getTypeParser']>[0];

/** Milliseconds that the client waits longer than the server's own limit. */
const answerMs = 5_000;
/** Milliseconds after which an idle connection is closed: other processes may lack it. */
const idleMs = 10_000;
/** Milliseconds that work waits for a server that refuses connections for now, and between two tries, at most. */
const refusedMs = 60_000;
const longestPauseMs = 1_000;
/** Milliseconds for a new connection to run its first statement: a pooler may let it wait. */
const firstStatementMs = 10_000;
/** Milliseconds for a connection to end in good order. */
const endMs = 1_000;

/**
 * Connections to one server: a pool for statements, and single ones for what belongs to a session.
 *
 * 1. Every connection has a listener for its errors from its beginning to its end: the loss of one fails the statement on it, not the process.
 * 2. A connection that goes silent fails its statement after seconds ({@link SilenceWatch}).
 * 3. Work waits while the pool or the server has no free connection, and while the server starts.
 */
export class Connections {
  readonly #driver: Driver;
  readonly #options: ConnectionOptions;
  readonly #pool: Pool;
  readonly #slots: Slots;
  readonly #watch = new SilenceWatch((pids, listener) => this.#workingOn(pids, listener));
  /** Process of the server behind each connection, as a statement tells it: at the start of a connection, a pooler names its own. */
  readonly #pids = new WeakMap<ClientBase, number>();
  #isLeaving = false;

  constructor(driver: Driver, options: ConnectionOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#slots = new Slots(options.maxConnections);
    this.#pool = new driver.Pool({
      ...this.#settings(),
      Client: clientWithListener(driver),
      max: options.maxConnections,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idleTimeoutMillis: idleMs,
      // An open journal keeps no process alive.
      allowExitOnIdle: true,
    });
    // A connection that ends while it is idle is replaced when the next one is needed.
    this.#pool.on('error', () => undefined);
  }

  /** Runs a statement as one transaction, in one round trip. */
  readonly query: Sql = async (text, values, name) => await this.#withClient(({ query }) => query(text, values, name));

  /** Runs `work` in one transaction: all of it is applied, or nothing. */
  async transaction<T>(work: (query: Sql) => Promise<T>): Promise<T> {
    return await this.#withClient(async ({ query, discard }) => {
      try {
        await query('BEGIN');
        const result = await work(query);
        await query('COMMIT');
        return result;
      } catch (thrown) {
        // The server rolls back the transaction of a connection that ends.
        if (!isConnectionFailure(thrown)) await query('ROLLBACK').catch(discard);
        throw thrown;
      }
    });
  }

  /** Opens a connection outside the pool, whose session belongs to the caller; its end is reported by `end`. */
  async openSession(): Promise<Session> {
    const end = performance.now() + refusedMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        const client = await this.#open();
        return { client, query: this.#on(client, await this.#pidOf(client)) };
      } catch (thrown) {
        if (!this.#mayWait(thrown, end)) throw thrown;
      }
      await this.#makeRoom();
      await pause(spread(pauseMs));
    }
  }

  /** Ends a session; cuts it when the server does not confirm the end in time. */
  async closeSession({ client }: Session): Promise<void> {
    const ended = client.end().catch(() => undefined);
    const limit = new AbortController();
    await Promise.race([ended, pause(endMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
    limit.abort();
    destroy(client);
  }

  /** Ends waiting for a server that refuses connections. */
  stopWaiting(): void {
    this.#isLeaving = true;
  }

  /** Closes the pool once running statements have ended. */
  async close(): Promise<void> {
    this.stopWaiting();
    await this.#pool.end();
  }

  /** Works on a connection of the pool. One that failed, or is discarded, does not go back to it. */
  async #withClient<T>(work: (on: PooledSql) => Promise<T>): Promise<T> {
    const client = await this.#enter();
    let broken: Error | undefined;
    const discard = (thrown: unknown): void => void (broken = thrown instanceof Error ? thrown : new Error(String(thrown)));
    try {
      return await work({ query: this.#on(client, await this.#pidOf(client)), discard });
    } catch (thrown) {
      if (isConnectionFailure(thrown)) discard(thrown);
      throw thrown;
    } finally {
      client.release(broken);
      this.#slots.giveBack();
    }
  }

  /** Takes a slot and a connection. The slot of one that the server refuses is closed for a while: others may become free first. */
  async #enter(): Promise<PoolClient> {
    const end = performance.now() + refusedMs;
    await this.#slots.take();
    for (let pauseMs = 50; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        return await this.#pool.connect();
      } catch (thrown) {
        if (!this.#mayWait(thrown, end)) {
          this.#slots.giveBack();
          throw thrown;
        }
      }
      setTimeout(() => this.#slots.giveBack(), spread(pauseMs));
      await this.#slots.take(true);
    }
  }

  /** Closes one of the pool's connections: the others would keep the server full while a session waits, on which all work waits. */
  async #makeRoom(): Promise<void> {
    if (this.#pool.totalCount < 2) return;
    const client = await this.#enter();
    client.release(true);
    this.#slots.giveBack();
  }

  #mayWait(thrown: unknown, end: number): boolean {
    return isRefusedForNow(thrown) && !this.#isLeaving && performance.now() < end;
  }

  async #open(): Promise<Client> {
    const client = new this.#driver.Client({ ...this.#settings(), connectionTimeoutMillis: this.#options.connectTimeoutMs });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async #pidOf(client: ClientBase): Promise<number> {
    const known = this.#pids.get(client);
    if (known !== undefined) return known;
    const config: QueryConfig & { readonly query_timeout: number } = {
      text: 'SELECT pg_backend_pid() AS pid',
      query_timeout: firstStatementMs,
    };
    const asking = client.query<{ readonly pid: number }>(config);
    const { rows } = await this.#watch.guard(client, undefined, asking);
    const pid = rows[0]?.pid ?? 0;
    this.#pids.set(client, pid);
    return pid;
  }

  #on(client: ClientBase, pid: number): Sql {
    return async (text, values = [], name) => await this.#watch.guard(client, pid, run(client, text, values, name));
  }

  readonly #workingOn: AskServer = async (pids, { signal, onAnswer }) => {
    const client = new this.#driver.Client(this.#settings());
    client.on('error', () => undefined);
    signal.addEventListener('abort', () => destroy(client), { once: true });
    await client.connect();
    onAnswer();
    const { rows } = await client.query<{ readonly pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state IN ('active', 'fastpath function call')`,
      [[...pids]],
    );
    return new Set(rows.map(({ pid }) => pid));
  };

  #settings() {
    const { url, statementTimeoutMs } = this.#options;
    const { types } = this.#driver;
    return {
      connectionString: url,
      application_name: 'cadre',
      keepAlive: true,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + answerMs,
      // The driver would return 64-bit integers as text.
      types: {
        getTypeParser: ((type: TypeId, format?: 'text') =>
          type === types.builtins.INT8 ? Number : types.getTypeParser(type, format)) as typeof types.getTypeParser,
      },
    };
  }
}

/** Clients of the pool: between two uses, and within one, the driver leaves them without a listener. */
function clientWithListener(driver: Driver): new (config?: ClientConfig) => Client {
  return class extends driver.Client {
    constructor(config?: ClientConfig) {
      super(config);
      this.on('error', () => undefined);
    }
  };
}

async function run(on: ClientBase, text: string, values: readonly unknown[], name: string | undefined): Promise<readonly Row[]> {
  const config = { text, values: [...values], ...(name === undefined ? {} : { name }) };
  // Text of several statements takes the simple protocol, which has no parameters.
  const { rows } = values.length === 0 && name === undefined ? await on.query<Row>(text) : await on.query<Row>(config);
  return rows;
}

function destroy(client: ClientBase): void {
  const wire = client as ClientBase & { readonly connection: { readonly stream: { destroy(): void } } };
  wire.connection.stream.destroy();
}

/** Milliseconds around a pause, so that processes do not try at the same moment. */
function spread(pauseMs: number): number {
  return pauseMs * (0.5 + Math.random());
}
