import type { RunImport } from '../events/event.ts';
import type { ContentHash, RunId } from '../ids.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** What a run is. */
export interface RunMeta {
  readonly runId: RunId;
  readonly profile: string;
  readonly title: string;
  readonly input: JsonValue;
  /** The values of the request it answers. */
  readonly request: JsonObject;
  readonly createdAt: number;
  /** The profile files it goes by now. */
  readonly profiles: ContentHash;
  /** What code gave of tools; undefined in journals of earlier versions. */
  readonly given: ContentHash | undefined;
  /** By toolset, the tools it offers the run, where they are not those it has without a connection. */
  readonly toolsets: ReadonlyMap<string, ContentHash>;
  readonly llmConfig: string | undefined;
  readonly engineVersion: string;
  readonly workspace: string | undefined;
  readonly parentRun: { readonly runId: RunId; readonly at: number } | undefined;
  /** Set when it was read from a file: such a run never goes on. */
  readonly imported: RunImport | undefined;
}
