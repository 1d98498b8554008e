/** A live resource that tool calls share: a shell, a browser, an open connection. Never in state, never journaled. */
export interface Resource<T> {
  readonly value: T;
  /** Releases it: ends processes, closes files. Its ending owner waits for this, at most the grace period. */
  close(): void | Promise<void>;
}

/** Resources of one agent, run or engine; all of them close when their owner ends. */
export interface ResourceScope {
  /**
   * Returns the resource of this name: opened by the first caller and shared with all others. A failed opening is forgotten, so
   * that the next caller tries again. Rejects with `ENGINE_CLOSED` once the owner has ended.
   */
  open<T>(name: string, open: () => Resource<T> | Promise<Resource<T>>): Promise<T>;
  /** Closes and forgets the resource of this name, if any. */
  close(name: string): Promise<void>;
}

/** Resources that a tool call may use, by owner. */
export interface ResourceScopes {
  /** Closed when the calling agent ends. */
  readonly agent: ResourceScope;
  /** Closed when the run ends or its engine releases it. */
  readonly run: ResourceScope;
  /** Closed when the engine closes. */
  readonly engine: ResourceScope;
}
