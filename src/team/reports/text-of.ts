import type { JsonValue } from '../../core/json.ts';

/** Returns a text unchanged; any other value gives an empty string. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
