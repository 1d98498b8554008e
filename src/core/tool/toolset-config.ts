import type { ToolsetCode } from './code-files.ts';
import type { JsonObject } from '../json.ts';
import type { SourceRef } from '../profile/source-ref.ts';

/** A toolset as a file (or the launcher) declares it, with values from the environment in place. */
export interface ToolsetConfig {
  /** What profiles allow it by. */
  readonly name: string;
  /** Which kind it is of: `workspace`, `shell`, `mcp`, … */
  readonly kind: string;
  readonly settings: JsonObject;
  /** The settings with the values of a run's request; absent when none of them is one. */
  readonly settingsFor?: (request: JsonObject) => JsonObject;
  /** Values from the environment among the settings: never to be recorded. */
  readonly secrets: readonly string[];
  /** Environment variables that are required and not set: the toolset cannot be used. */
  readonly missing: readonly string[];
  /** The code that it loads from files of its folder. */
  readonly code?: ToolsetCode;
  readonly source?: SourceRef;
  /** What files say of it, with lookups as they were written: no value of the environment is in it. */
  readonly written?: JsonObject;
  /** Where each of its values was written, by path (`settings.path`): a team may change settings of one that it includes. */
  readonly origins?: ReadonlyMap<string, SourceRef>;
}
