import { CadreError, describeThrown } from '../../core/error.ts';
import type { ToolsetHost } from '../../core/tool/toolset.ts';
import { RestartBudget, ListingPace } from './server-pace.ts';
import { McpSession } from './mcp-session.ts';
import type { McpSettings } from './mcp-settings.ts';
import { readServerTools, type ServerTool, type ServerTools } from './server-tool.ts';

/** Dependencies and callbacks of a link. */
export interface LinkPorts {
  readonly name: string;
  readonly settings: McpSettings;
  readonly host: ToolsetHost;
  /** Does slow work on listed tools before they are passed to `onTools`. */
  readonly prepare: (tools: ServerTools) => Promise<void>;
  /** Receives the server's tools after each listing; returns a remark for the toolset's health, if any. */
  readonly onTools: (tools: ServerTools) => string | undefined;
}

/**
 * The lasting connection to one server: connects, lists its tools, and reconnects when the connection is lost.
 *
 * 1. At most one session is open or opening.
 * 2. A lost server is tried again after growing delays, at most 5 times in 10 minutes; a pending retry keeps no process alive.
 * 3. Tools stay offered during a short retry delay; they are withdrawn when the delay is long or retrying is pointless.
 * 4. Changes of its tools are listed when announced, with growing delays when they do not end.
 * 5. After `close` nothing is opened, and no process or connection of the server remains.
 */
export class McpLink {
  readonly #ports: LinkPorts;
  readonly #budget = new RestartBudget();
  readonly #pace = new ListingPace();
  readonly #closing = new AbortController();
  #session: McpSession | undefined;
  /** Fingerprints of the tools in the open session's last listing, by name. */
  #listed: ReadonlyMap<string, string> = new Map();
  #opening: Promise<void> | undefined;
  #openedAt = 0;
  #listing: Promise<void> | undefined;
  #stale = false;
  #failure: CadreError | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelListing: (() => void) | undefined;
  #changed = Promise.withResolvers<void>();
  /** Settles when all earlier sessions have ended. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  /** Starts connecting; the outcome is reported to the host. */
  start(): void {
    this.#ports.host.setHealth({ status: 'connecting' });
    this.#open();
  }

  /**
   * Returns the open session; waits while it is opening, and while announced changes of its tools are listed.
   *
   * @throws CadreError `MCP_UNAVAILABLE` when the server cannot be reached now
   */
  async session(signal: AbortSignal): Promise<McpSession> {
    const { clock } = this.#ports.host;
    const { connect, list } = this.#ports.settings.timeouts;
    const until = clock.monotonic() + connect + list;
    while (this.#session === undefined) {
      if (this.#failure !== undefined) throw this.#failure;
      const left = until - clock.monotonic();
      if (left <= 0) throw this.#unavailable('it is not connected yet');
      await waitFor(this.#changed.promise, signal, (wake) => clock.setTimer(left, wake));
    }
    const session = this.#session;
    if (this.#stale) this.#listNow();
    if (this.#listing !== undefined) await waitFor(this.#listing, signal, () => () => undefined);
    return session;
  }

  /** True when the open session has a tool exactly as it was listed: a restarted server may mean something else by its name. */
  isUnchanged({ name, fingerprint }: ServerTool): boolean {
    return this.#listed.get(name) === fingerprint;
  }

  /** Replaces a session that a call found dead or unreliable: ends it and opens a new one. */
  async replaceSession(session: McpSession, reason: string): Promise<void> {
    if (this.#session !== session) return;
    this.#handleLoss(reason);
    await session.close();
  }

  /** Checks after a call timed out whether the server still answers, and restarts it if not. */
  async checkHealth(session: McpSession): Promise<void> {
    if (this.#session === session && !(await session.isAlive())) await this.replaceSession(session, 'it does not answer any more');
  }

  async close(): Promise<void> {
    this.#closing.abort(this.#unavailable('its engine is closed'));
    this.#cancelRetry?.();
    this.#cancelListing?.();
    this.#failure = this.#unavailable('its engine is closed');
    const session = this.#session;
    this.#session = undefined;
    this.#signalChange();
    await this.#opening;
    await session?.close();
    await this.#ending;
  }

  #open(): void {
    this.#opening = this.#connect().finally(() => {
      this.#opening = undefined;
    });
  }

  async #connect(): Promise<void> {
    const { settings, host } = this.#ports;
    let session: McpSession | undefined;
    let earlyLoss: string | undefined;
    try {
      const opened = await McpSession.open(settings, {
        clock: host.clock,
        events: {
          onToolsChanged: () => this.#refresh(),
          onLost: (reason) => {
            earlyLoss = reason;
            if (session !== undefined && this.#session === session) this.#handleLoss(reason);
          },
        },
        signal: this.#closing.signal,
      });
      session = opened;
      this.#stale = false;
      const tools = await this.#list(opened);
      if (earlyLoss !== undefined) throw this.#unavailable(earlyLoss);
      if (this.#closing.signal.aborted) throw this.#unavailable('its engine is closed');
      this.#session = opened;
      this.#failure = undefined;
      this.#openedAt = host.clock.monotonic();
      this.#publish(tools);
      if (this.#isStale()) this.#refresh();
    } catch (thrown) {
      await session?.close();
      if (!this.#closing.signal.aborted) this.#failed(thrown);
    } finally {
      this.#signalChange();
    }
  }

  /** Lists the tools after the server announced a change, and once more if it announces another meanwhile. */
  #refresh(): void {
    this.#stale = true;
    // While connecting, the tools are listed anyway, and once more when they changed meanwhile.
    if (this.#session === undefined || this.#listing !== undefined || this.#cancelListing !== undefined) return;
    const { clock } = this.#ports.host;
    const waitMs = this.#pace.wait(clock.monotonic());
    if (waitMs <= 0) this.#listNow();
    else this.#cancelListing = clock.setTimer(waitMs, () => this.#listNow(), { background: true });
  }

  #listNow(): void {
    this.#cancelListing?.();
    this.#cancelListing = undefined;
    this.#listing ??= this.#listAgain().finally(() => {
      this.#listing = undefined;
      if (this.#stale) this.#refresh();
    });
  }

  async #listAgain(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#stale = false;
    try {
      const tools = await this.#list(session);
      if (this.#session === session) this.#publish(tools);
    } catch (thrown) {
      if (this.#session === session) this.#setHealth('ready', `its changed tools could not be listed: ${describeThrown(thrown)}`);
    }
  }

  async #list(session: McpSession): Promise<ServerTools> {
    const tools = readServerTools(await session.listTools(this.#closing.signal));
    await this.#ports.prepare(tools);
    return tools;
  }

  /** True when the server announced a change during a wait. */
  #isStale(): boolean {
    return this.#stale;
  }

  #publish(tools: ServerTools): void {
    this.#listed = new Map(tools.tools.map(({ name, fingerprint }) => [name, fingerprint]));
    const remark = this.#ports.onTools(tools);
    this.#setHealth('ready', remark);
  }

  /** Handles the loss of an open session. */
  #handleLoss(reason: string): void {
    const gone = this.#session;
    // Its process may take a moment to end: `close` waits for it.
    this.#ending = Promise.allSettled([this.#ending, gone?.close()]);
    this.#session = undefined;
    this.#budget.recordLifetime(this.#ports.host.clock.monotonic() - this.#openedAt);
    this.#failed(this.#unavailable(reason));
    this.#signalChange();
  }

  #failed(thrown: unknown): void {
    const { host } = this.#ports;
    const error = thrown instanceof CadreError ? thrown : this.#unavailable(describeThrown(thrown));
    const isPermanent = error.details['permanent'] === true || error.code === 'DEPENDENCY_MISSING';
    if (isPermanent) {
      this.#giveUp(error, 'It is not tried again.');
      return;
    }
    const { waitMs, spent } = this.#budget.next(host.clock.monotonic());
    const seconds = Math.ceil(waitMs / 1000);
    if (spent) this.#giveUp(error, `It was started too often; it is tried again in ${seconds} s.`);
    else this.#setHealth('failed', `${this.#named(error.message)}. It is tried again in ${seconds} s.`);
    this.#cancelRetry = host.clock.setTimer(
      waitMs,
      () => {
        this.#failure = undefined;
        this.#open();
      },
      { background: true },
    );
  }

  /** Withdraws the tools for a while, so that calls of them fail immediately. */
  #giveUp(error: CadreError, retryNote: string): void {
    this.#failure = this.#unavailable(`${error.message}. ${retryNote}`, error);
    this.#ports.onTools({ tools: [], leftOut: [] });
    this.#setHealth('failed', this.#failure.message);
  }

  #setHealth(status: 'ready' | 'failed', message: string | undefined): void {
    this.#ports.host.setHealth(message === undefined ? { status } : { status, message });
  }

  #unavailable(what: string, cause?: CadreError): CadreError {
    const code = cause?.code === 'DEPENDENCY_MISSING' ? cause.code : 'MCP_UNAVAILABLE';
    return new CadreError(code, this.#named(what), { cause });
  }

  /** Prefixes a message with the server's name, once. */
  #named(what: string): string {
    const prefix = `the MCP server '${this.#ports.name}': `;
    return what.startsWith(prefix) ? what : `${prefix}${what}`;
  }

  #signalChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Waits until something changed, the signal aborts, or the timer fires. */
async function waitFor(changed: Promise<void>, signal: AbortSignal, setTimer: (wake: () => void) => () => void): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = setTimer(resolve);
  try {
    await Promise.race([changed, promise]);
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
  }
}
