import type { CadreEvent } from '../../core/events/event.ts';
import type { JsonObject } from '../../core/json.ts';

/** An event as another system would tell it, by the name it has there. */
export interface ForeignEvent extends JsonObject {
  readonly event: string;
  /** The event of the journal it was made of; several may come of one. */
  readonly seq: number;
}

/** The names of another system's events, and what turns ours into them: told every event of a run, in order, from the first. */
export interface Dialect {
  readonly names: readonly string[];
  create(): (event: CadreEvent) => readonly ForeignEvent[];
}
