import type { JsonValue } from '../../core/json.ts';

/** A value that should be text, as text: anything else counts as empty. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
