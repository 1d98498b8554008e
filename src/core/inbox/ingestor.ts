import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { CompiledProfile } from '../profile/profile.ts';
import type { Scope } from '../expression/expression.ts';
import type { Template } from '../expression/template.ts';

/** Read-only input of an ingestor besides payload and parameters. */
export interface IngestorView {
  readonly profile: CompiledProfile;
  /** The roots that conditions and templates see (state, team, run, …). Text made with untrusted values of them is framed as a whole. */
  readonly scope: Scope;
  /** All profiles of the run, for ingestors that list colleagues. */
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
  readonly source: string;
  /** Fills in a template with these roots and `payload`; untrusted text that it reads from state is framed. */
  readonly render: (template: Template, payload: JsonValue) => string;
}

/**
 * A pure, synchronous function from a payload to text or parts for the model. Segments of system prompts use ingestors, too. If it throws on
 * an item, the failure is reported and the item stays for the next turn; the third failure makes it a dead letter.
 */
export interface Ingestor {
  readonly name: string;
  readonly ingest: (payload: JsonValue, params: JsonObject, view: IngestorView) => Content;
}
