import type { Quote } from '../expression/quote.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** A value in a profile that may hold `{{ expressions }}` anywhere inside. */
export interface ValueTemplate {
  /** True when nothing is interpolated: `build` returns the same value each time. */
  readonly constant: boolean;
  /** Builds the value; `quote` observes what its expressions read. */
  build(scope: { readonly [root: string]: unknown }, quote?: Quote): JsonValue;
}

/** An item as an observer or rule declares it. */
export interface ItemTemplate {
  readonly source: string;
  readonly payload: ValueTemplate;
  readonly consumption: 'consume_on_read' | 'persistent_until_consumed';
  readonly priority?: number;
  readonly maxTurns?: number;
  readonly ingestorId?: string;
  readonly ingestorParams?: JsonObject;
}
