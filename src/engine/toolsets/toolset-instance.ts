import type { Clock } from '../../core/clock.ts';
import type { CodedObserver } from '../../core/env.ts';
import { describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Diagnostic } from '../../core/profile/profile.ts';
import type { Toolset, ToolsetHealth } from '../../core/tool/toolset.ts';
import { type ListPorts, type ToolList, toToolList, toolChanges } from './tool-list.ts';

/** A change or fault of a toolset that its runs must know. */
export interface ToolsetChange {
  readonly toolset: string;
  /** Id of the instance that the news is about. */
  readonly instance: string;
  /** New tools, when they changed. */
  readonly tools?: ToolList;
  /** For people and models; absent when the tools changed before they were first offered. */
  readonly message?: string;
  readonly isFailure: boolean;
}

type Listener = (news: ToolsetChange) => void;

/**
 * Toolset made from one kind and one set of settings. Its live parts, such as the session of a server, are shared by exactly those runs
 * whose profiles declare it with these settings.
 *
 * 1. It connects only when a run needs it: reading a journal starts no server.
 * 2. It connects once, however many use it, and closes when the last user leaves. The next user connects it again.
 * 3. Its tools at any moment are an immutable list; a changed list is sent only to its users.
 * 4. Messages from a closed connection are ignored.
 */
export class ToolsetInstance {
  readonly name: string;
  /** Equal for two instances exactly when they are the same. */
  readonly id: string;
  readonly #toolset: Toolset;
  readonly #ports: ListPorts;
  readonly #initial: ToolList;
  readonly #listeners = new Set<Listener>();
  #list: ToolList;
  #health: ToolsetHealth = { status: 'connecting' };
  #users = 0;
  /** Settles when the connection has succeeded or failed; absent while closed. */
  #connection: PromiseWithResolvers<void> | undefined;
  #closing: Promise<unknown> = Promise.resolve();

  constructor(name: string, id: string, toolset: Toolset, ports: ListPorts) {
    this.name = name;
    this.id = id;
    this.#toolset = toolset;
    this.#ports = ports;
    this.#initial = toToolList(name, toolset.tools, toolset, ports);
    this.#list = this.#initial;
  }

  /** True when the toolset connects to something: its tools may change while in use. */
  get connects(): boolean {
    return this.#toolset.connect !== undefined;
  }

  /** Current tools. */
  get tools(): ToolList {
    return this.#list;
  }

  /** Tools without a connection. */
  get initialTools(): ToolList {
    return this.#initial;
  }

  get observers(): readonly CodedObserver[] {
    return this.#toolset.observers ?? [];
  }

  /** Settings that the toolset states it was created from, without a request; undefined when it states none. */
  get settings(): JsonObject | undefined {
    return this.#toolset.settingsFor?.({});
  }

  /** Error that prevents runs from starting: they need the toolset and it could not be connected. Located in the file that declares it. */
  get failure(): Diagnostic | undefined {
    const { isRequired, source = { file: `toolset ${this.name}`, line: 1, column: 1 } } = this.#toolset;
    const { status, message = 'it does not say why' } = this.#health;
    if (isRequired !== true || status !== 'failed') return undefined;
    return { severity: 'error', code: 'BAD_REFERENCE', message: `toolset '${this.name}': ${message}`, source };
  }

  /** True when it has no users. */
  get isIdle(): boolean {
    return this.#users === 0;
  }

  /** Current faults of the toolset, for a run that begins to use it. */
  get shortcomings(): readonly ToolsetChange[] {
    const health = shortcoming(this.name, this.#health);
    return [...this.#list.leftOut.map((why) => this.#leftOut(why)), ...(health === undefined ? [] : [this.#failure(health)])];
  }

  /** Adds a user; the returned function removes it once, and closes the connection with the last user. */
  use(): () => Promise<void> {
    this.#users += 1;
    let isOver = false;
    return async () => {
      if (!isOver) {
        isOver = true;
        this.#users -= 1;
        if (this.#users === 0) this.#disconnect();
      }
      await this.#closing;
    };
  }

  /** Resolves when closing is complete. */
  async closed(): Promise<void> {
    await this.#closing;
  }

  /** Subscribes to news; the returned function ends that. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Connects it unless connected; the promise settles when the connection has succeeded or failed. Undefined when there is no need to wait.
   */
  ready(clock: Clock): Promise<void> | undefined {
    if (!this.connects) return undefined;
    if (this.#connection === undefined) this.#connect(clock);
    return this.#health.status === 'connecting' ? this.#connection?.promise : undefined;
  }

  #connect(clock: Clock): void {
    const connection = Promise.withResolvers<void>();
    this.#connection = connection;
    const isOurs = (): boolean => this.#connection === connection;
    const setHealth = (health: ToolsetHealth): void => (isOurs() ? this.#setHealth(health) : undefined);
    const setTools = (tools: readonly unknown[]): void => (isOurs() ? this.#setTools(tools) : undefined);
    try {
      this.#toolset.connect?.({ clock, setTools, setHealth });
    } catch (thrown) {
      setHealth({ status: 'failed', message: describeThrown(thrown) });
    }
  }

  #disconnect(): void {
    if (this.#connection === undefined) return;
    this.#connection.resolve();
    this.#connection = undefined;
    this.#health = { status: 'connecting' };
    this.#list = this.#initial;
    const { close } = this.#toolset;
    this.#closing = Promise.allSettled([this.#closing, Promise.try(() => close?.call(this.#toolset))]);
  }

  #setTools(definitions: readonly unknown[]): void {
    const before = this.#list;
    const list = toToolList(this.name, definitions, this.#toolset, this.#ports);
    this.#list = list;
    const changes = toolChanges(before.text, list.text);
    const isNews = changes !== undefined && this.#health.status === 'ready';
    const message = isNews ? { message: `the tools of '${this.name}' have changed: ${changes}` } : {};
    this.#tell({ ...this.#about(), tools: list, ...message, isFailure: false });
    for (const why of list.leftOut) this.#tell(this.#leftOut(why));
  }

  #setHealth(health: ToolsetHealth): void {
    const before = this.#health;
    this.#health = health;
    const isSame = health.message === before.message && health.status === before.status;
    const lacking = isSame ? undefined : shortcoming(this.name, health);
    if (lacking !== undefined) this.#tell(this.#failure(lacking));
    if (health.status === 'ready' && before.status === 'failed') {
      const names = this.#list.tools.map(({ name }) => name).join(', ') || 'it has no tools';
      this.#tell({ ...this.#about(), message: `'${this.name}' can be used again: ${names}`, isFailure: false });
    }
    if (health.status !== 'connecting') this.#connection?.resolve();
  }

  #tell(news: ToolsetChange): void {
    for (const listener of [...this.#listeners]) listener(news);
  }

  #leftOut(why: string): ToolsetChange {
    return this.#failure(`a tool of '${this.name}' cannot be used: ${why}`);
  }

  #failure(message: string): ToolsetChange {
    return { ...this.#about(), message, isFailure: true };
  }

  #about(): Pick<ToolsetChange, 'toolset' | 'instance'> {
    return { toolset: this.name, instance: this.id };
  }
}

/** Describes the fault of a toolset; undefined when it is ready and reports no message. */
function shortcoming(toolset: string, { status, message }: ToolsetHealth): string | undefined {
  if (status === 'failed') return `'${toolset}' cannot be used at the moment: ${message ?? 'it does not say why'}`;
  return status === 'ready' && message !== undefined ? `not all of '${toolset}' can be used: ${message}` : undefined;
}
