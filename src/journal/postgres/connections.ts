import type { Client, Pool, PoolClient } from 'pg';
import type { Driver } from './load-driver.ts';

/** Row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement. One with a name is prepared once per connection. */
export type Sql = (text: string, values?: readonly unknown[], name?: string) => Promise<readonly Row[]>;

/** Settings of the connections to a server. */
export interface ConnectionOptions {
  /** URL with the password. */
  readonly url: string;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

type TypeId = Parameters<Driver['types']['getTypeParser']>[0];

/** Milliseconds that the client waits longer than the server's own limit, for a connection that has gone silent. */
const silenceMs = 5_000;
const idleMs = 30_000;

/** Connections to one server: a pool for statements, and single ones for what belongs to a session. */
export class Connections {
  readonly #driver: Driver;
  readonly #options: ConnectionOptions;
  readonly #pool: Pool;

  constructor(driver: Driver, options: ConnectionOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#pool = new driver.Pool({
      ...this.#settings(),
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
  readonly query: Sql = async (text, values = [], name) => await run(this.#pool, text, values, name);

  /** Runs `work` in one transaction: all of it is applied, or nothing. */
  async transaction<T>(work: (query: Sql) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(async (text, values = [], name) => await run(client, text, values, name));
      await client.query('COMMIT');
      return result;
    } catch (thrown) {
      await client.query('ROLLBACK').catch((error: unknown) => {
        broken = error instanceof Error ? error : new Error(String(error));
      });
      throw thrown;
    } finally {
      client.release(broken);
    }
  }

  /** Opens a connection outside the pool, whose session belongs to the caller. */
  async openSession(): Promise<Client> {
    const client = new this.#driver.Client({ ...this.#settings(), connectionTimeoutMillis: this.#options.connectTimeoutMs });
    // Its end is reported by `end`.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Closes the pool once running statements have ended. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  #settings() {
    const { url, statementTimeoutMs } = this.#options;
    const { types } = this.#driver;
    return {
      connectionString: url,
      application_name: 'cadre',
      keepAlive: true,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + silenceMs,
      // The driver would return 64-bit integers as text.
      types: {
        getTypeParser: ((type: TypeId, format?: 'text') =>
          type === types.builtins.INT8 ? Number : types.getTypeParser(type, format)) as typeof types.getTypeParser,
      },
    };
  }
}

async function run(
  on: Pool | PoolClient,
  text: string,
  values: readonly unknown[],
  name: string | undefined,
): Promise<readonly Row[]> {
  const config = { text, values: [...values], ...(name === undefined ? {} : { name }) };
  // Text of several statements takes the simple protocol, which has no parameters.
  const { rows } = values.length === 0 && name === undefined ? await on.query<Row>(text) : await on.query<Row>(config);
  return rows;
}
