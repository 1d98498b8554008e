import type { ToolsetCode } from './code-files.ts';
import type { JsonObject } from '../json.ts';
import type { SourceRef } from '../profile/source-ref.ts';

/** A toolset as declared in a file or by the launcher, with environment values filled in. */
export interface ToolsetConfig {
  /** The name by which profiles allow it. */
  readonly name: string;
  /** Its kind: `workspace`, `shell`, `mcp`, … */
  readonly kind: string;
  readonly settings: JsonObject;
  /** Returns the settings with a run's request values filled in; absent when they refer to none. */
  readonly settingsFor?: (request: JsonObject) => JsonObject;
  /** Environment values among the settings: never recorded. */
  readonly secrets: readonly string[];
  /** Required environment variables that are not set: the toolset cannot be used. */
  readonly missing: readonly string[];
  /** Code that it loads from files of its folder. */
  readonly code?: ToolsetCode;
  readonly source?: SourceRef;
  /** The declaration as written, with lookups unresolved: contains no environment value. */
  readonly written?: JsonObject;
  /** Source of each value, by path (`settings.path`): a team may override settings of a toolset that it includes. */
  readonly origins?: ReadonlyMap<string, SourceRef>;
}
