import type { CadreEvent } from '../../core/events/event.ts';
import type { JsonObject } from '../../core/json.ts';

/** Event in another system's form, with its name there. */
export interface ForeignEvent extends JsonObject {
  readonly event: string;
  /** Sequence number of the source event in the journal; one event may yield several. */
  readonly seq: number;
}

/**
 * Event names of another system, and a factory of translators. A translator takes every event of a run, in order, from the first.
 */
export interface Dialect {
  readonly names: readonly string[];
  create(): (event: CadreEvent) => readonly ForeignEvent[];
}
