import type { JsonValue } from './json.ts';

/** Freezes a value deeply, and returns it. */
export function frozen<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) if (inner !== undefined) frozen(inner);
  return Object.freeze(value);
}
