import type { JsonSchema } from '../json.ts';

/** Names defined outside the profile files, for cross-checks while compiling. */
export interface KnownNames {
  readonly tools: ReadonlySet<string>;
  readonly toolsets: ReadonlySet<string>;
  readonly ingestors: ReadonlySet<string>;
  readonly observers: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Names of model objects passed to the engine; each also counts as an LLM config. */
  readonly models: ReadonlySet<string>;
  /** Prefixes of tool names that are only known once their toolset is connected. */
  readonly toolPrefixes?: ReadonlySet<string>;
  /** Tools of each toolset, by name, to check tool names in a profile against its allowed toolsets. */
  readonly toolsetTools?: ReadonlyMap<string, KnownToolset>;
  /** Kinds of toolsets that files may declare. */
  readonly toolsetKinds?: ReadonlyMap<string, KnownToolsetKind>;
}

/** The part of a toolset that compiling needs. */
export interface KnownToolset {
  /** Absent for a toolset without a kind. */
  readonly kind?: string;
  /** Names of its tools; absent when they are only known once it is connected. */
  readonly tools?: readonly string[];
}

/** The part of a toolset kind that compiling needs. */
export interface KnownToolsetKind {
  /** JSON Schema of its settings; absent when the kind was not loaded because no file seemed to name it. */
  readonly settings?: JsonSchema;
  /** Names of its tools; empty when they are only known once it is connected. */
  readonly tools: readonly string[];
  readonly observers: readonly string[];
}
