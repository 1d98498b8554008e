/** Something live that tool calls share: a shell, a browser, an open connection. It is never in state and never journaled. */
export interface Resource<T> {
  readonly value: T;
  /** Ends it for good: processes are killed, files closed. Waited for when its owner ends, at most the grace period. */
  close(): void | Promise<void>;
}

/** Where the live things of one agent, run or engine are kept; all of them are closed when their owner is over. */
export interface ResourceScope {
  /**
   * The thing of this name: opened by the first who asks, shared with all others. An opening that failed is forgotten, so
   * that the next caller tries again. Rejects with `ENGINE_CLOSED` once the owner is over.
   */
  open<T>(name: string, open: () => Resource<T> | Promise<Resource<T>>): Promise<T>;
  /** Closes the thing of this name and forgets it; nothing happens when there is none. */
  close(name: string): Promise<void>;
}

/** The live things a tool call may use, by who owns them. */
export interface ResourceScopes {
  /** Closed when the agent that made the call ends. */
  readonly agent: ResourceScope;
  /** Closed when the run ends, or is left by its engine. */
  readonly run: ResourceScope;
  /** Closed when the engine closes. */
  readonly engine: ResourceScope;
}
