import type { Clock } from '../core/clock.ts';
import { CadreError, describeThrown } from '../core/error.ts';
import type { CodedObserver } from '../core/env.ts';
import type { Toolset, ToolsetHealth } from '../core/toolset.ts';
import { offeredTool } from '../tools/access.ts';
import type { ToolRegistry, ToolsetOrigin } from '../tools/registry.ts';
import { atMost } from './closings.ts';
import { toolChanges } from './tool-changes.ts';

/** Something about a toolset that runs must know. */
export interface ToolsetNews {
  readonly toolset: string;
  /** For people and models. */
  readonly message: string;
  readonly isFailure: boolean;
}

interface Held {
  readonly toolset: Toolset;
  health: ToolsetHealth;
  /** Resolves when it has said what became of connecting; absent while nobody has asked it to. */
  settled: PromiseWithResolvers<void> | undefined;
}

/** The longest a launch waits for toolsets that connect, in milliseconds; what comes later is told to the run. */
const longestWaitMs = 60_000;

/**
 * The toolsets of an engine: their tools in the registry, and those that connect connected.
 *
 * 1. Nothing is connected before a run needs it: reading a journal starts no server.
 * 2. A toolset that fails takes nothing else along: its tools are gone, and whoever may call them is told.
 * 3. Tools change at once in the registry; an agent is offered them from its next turn on.
 */
export class Toolsets {
  readonly #registry: ToolRegistry;
  readonly #observers: Map<string, CodedObserver>;
  readonly #held = new Map<string, Held>();
  readonly #listeners = new Set<(news: ToolsetNews) => void>();
  #users = 0;

  constructor(registry: ToolRegistry, observers: Map<string, CodedObserver>) {
    this.#registry = registry;
    this.#observers = observers;
  }

  /** Tells whether a toolset of this name is here. */
  has(name: string): boolean {
    return this.#held.has(name);
  }

  /** Adds a toolset. A tool whose name is taken stays out: what the launcher handed in goes first. */
  add(name: string, toolset: Toolset): void {
    this.#held.set(name, { toolset, health: { status: 'connecting' }, settled: undefined });
    for (const observer of toolset.observers ?? [])
      if (!this.#observers.has(observer.name)) this.#observers.set(observer.name, observer);
    const isTaken = (tool: unknown): boolean => this.#registry.get(nameOf(tool)) !== undefined;
    const leftOut = this.#registry.setToolset(
      name,
      toolset.tools.filter((tool) => !isTaken(tool)),
      originOf(toolset),
    );
    if (leftOut.length > 0)
      throw new CadreError('TOOL_INVALID', `toolset '${name}': ${leftOut.join(' ')}`, { details: { toolset: name } });
  }

  /** What cannot be used at this moment, or not all of it, for a run that begins. */
  failures(): readonly ToolsetNews[] {
    return [...this.#held].flatMap(([name, { health }]) => shortcoming(name, health) ?? []);
  }

  /**
   * Connects what connects, once, and waits until each has said what became of it; undefined when there is nothing to wait for.
   * `needed`: the names to look at; all, when there are none.
   */
  ready(clock: Clock, needed?: ReadonlySet<string>): Promise<void> | undefined {
    const waited: Promise<void>[] = [];
    for (const [name, held] of this.#held) {
      if (held.toolset.connect === undefined || needed?.has(name) === false) continue;
      if (held.settled === undefined) this.#connect(name, held, clock);
      if (held.health.status === 'connecting' && held.settled !== undefined) waited.push(held.settled.promise);
    }
    return waited.length === 0 ? undefined : atMost(clock, longestWaitMs, Promise.all(waited));
  }

  /** An engine begins to use them; the returned function ends that, and with the last one closes what is connected. */
  use(listener: (news: ToolsetNews) => void): () => Promise<void> {
    this.#users += 1;
    this.#listeners.add(listener);
    return async () => {
      if (!this.#listeners.delete(listener)) return;
      this.#users -= 1;
      if (this.#users === 0) await Promise.allSettled([...this.#held.values()].map(disconnect));
    };
  }

  #connect(name: string, held: Held, clock: Clock): void {
    held.settled = Promise.withResolvers();
    const setHealth = (health: ToolsetHealth): void => this.#setHealth(name, held, health);
    try {
      held.toolset.connect?.({ clock, setTools: (tools) => this.#setTools(name, held, tools), setHealth });
    } catch (thrown) {
      setHealth({ status: 'failed', message: describeThrown(thrown) });
    }
  }

  #setTools(name: string, held: Held, tools: readonly unknown[]): void {
    const before = this.#offered(name);
    const leftOut = this.#registry.setToolset(name, tools, originOf(held.toolset));
    for (const problem of leftOut)
      this.#tell({ toolset: name, message: `a tool of '${name}' cannot be used: ${problem}`, isFailure: true });
    const changes = toolChanges(before, this.#offered(name));
    if (changes !== undefined && held.health.status === 'ready')
      this.#tell({ toolset: name, message: `the tools of '${name}' have changed: ${changes}`, isFailure: false });
  }

  #setHealth(name: string, held: Held, health: ToolsetHealth): void {
    const before = held.health.status;
    const known = held.health.message;
    held.health = health;
    const lacking = health.message === known && health.status === before ? undefined : shortcoming(name, health);
    if (lacking !== undefined) this.#tell(lacking);
    if (health.status === 'ready' && before === 'failed')
      this.#tell({ toolset: name, message: `'${name}' can be used again: ${this.#names(name)}`, isFailure: false });
    if (health.status !== 'connecting') held.settled?.resolve();
  }

  #tell(news: ToolsetNews): void {
    for (const listener of this.#listeners) listener(news);
  }

  #offered(name: string): string {
    return JSON.stringify(this.#registry.inToolset(name).map((tool) => offeredTool(this.#registry, tool)));
  }

  #names(name: string): string {
    return (
      this.#registry
        .inToolset(name)
        .map((tool) => tool.name)
        .join(', ') || 'it has no tools'
    );
  }
}

function originOf({ kind, settingsFor }: Toolset): ToolsetOrigin {
  return { ...(kind === undefined ? {} : { toolsetKind: kind }), ...(settingsFor === undefined ? {} : { settingsFor }) };
}

async function disconnect(held: Held): Promise<void> {
  if (held.settled === undefined) return;
  held.settled.resolve();
  held.settled = undefined;
  held.health = { status: 'connecting' };
  await held.toolset.close?.();
}

/** What is wrong with a toolset; undefined when it is ready and has nothing to tell. */
function shortcoming(toolset: string, { status, message }: ToolsetHealth): ToolsetNews | undefined {
  if (status === 'failed')
    return { toolset, message: `'${toolset}' cannot be used at the moment: ${message ?? 'it does not say why'}`, isFailure: true };
  if (status !== 'ready' || message === undefined) return undefined;
  return { toolset, message: `not all of '${toolset}' can be used: ${message}`, isFailure: true };
}

function nameOf(tool: unknown): string {
  const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
  return typeof name === 'string' ? name : '';
}
