import type { JsonObject, JsonValue } from '../../core/json.ts';
import { clipText } from './clip-text.ts';

/** Returns deliverables unchanged if they fit, otherwise with long texts shortened; the work module keeps the full version. */
export function clipDeliverables(deliverables: JsonObject, max: number): JsonObject {
  const length = JSON.stringify(deliverables).length;
  if (length <= max) return deliverables;
  const entries = Object.entries(deliverables);
  const share = Math.floor(max / entries.length);
  return Object.fromEntries(entries.map(([key, value]) => [key, clipValue(value ?? null, share)]));
}

/** Returns a value, or its text clipped when it has more than `max` characters. */
export function clipValue(value: JsonValue, max: number): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= max ? value : clipText(text, max);
}
