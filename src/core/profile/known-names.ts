import type { JsonSchema } from '../json.ts';

/** What exists outside the profile files, for cross-checks while compiling. */
export interface KnownNames {
  readonly tools: ReadonlySet<string>;
  readonly toolsets: ReadonlySet<string>;
  readonly ingestors: ReadonlySet<string>;
  readonly observers: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Names of model objects handed to the engine; each also counts as an LLM config. */
  readonly models: ReadonlySet<string>;
  /** Beginnings of names of tools that are only known once their toolset is connected. */
  readonly toolPrefixes?: ReadonlySet<string>;
  /** What each toolset brings, by name: what a profile says of tools is compared with what it may call. */
  readonly toolsetTools?: ReadonlyMap<string, KnownToolset>;
  /** Kinds of toolsets that files may declare. */
  readonly toolsetKinds?: ReadonlyMap<string, KnownToolsetKind>;
}

/** What compiling needs to know of a toolset. */
export interface KnownToolset {
  /** Absent when it is of none. */
  readonly kind?: string;
  /** Names of its tools; absent when they are only known once it is connected. */
  readonly tools?: readonly string[];
}

/** What compiling needs to know of a kind of toolset. */
export interface KnownToolsetKind {
  /** The JSON Schema of its settings; absent for one that was not loaded, since no file seemed to name it. */
  readonly settings?: JsonSchema;
  /** Names of its tools; empty when they are only known once it is connected. */
  readonly tools: readonly string[];
  readonly observers: readonly string[];
}
