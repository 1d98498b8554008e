import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { CompiledProfile } from '../profile/profile.ts';
import type { Scope } from '../expression/expression.ts';
import type { Quote } from '../expression/template.ts';

/** What an ingestor may look at besides payload and parameters. All of it is read-only. */
export interface IngestorView {
  readonly profile: CompiledProfile;
  /** The roots conditions and templates see (state, team, run, …). */
  readonly scope: Scope;
  /** All profiles of the run, for ingestors that list colleagues. */
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly source: string;
  /** Frames words from outside that a template reads from state; absent where no state holds such words. */
  readonly quote?: Quote | undefined;
}

/** A pure, synchronous function from a payload to what the model reads. It may throw: the item is then reported and kept. */
export interface Ingestor {
  readonly name: string;
  readonly ingest: (payload: JsonValue, params: JsonObject, view: IngestorView) => Content;
}
