import type { JsonValue } from './json.ts';

/** Deepest nesting of a call's arguments: deeper ones are rejected, and history shows their original text. */
export const maxArgumentDepth = 64;

/** True when a value is nested deeper than `limit`. Not recursive, so the depth of the value cannot overflow the stack. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (isFlat(value)) return false;
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? (Object.values(item) as JsonValue[]) : []));
  }
  return false;
}

/** Fast path: most arguments are a few plain fields. */
function isFlat(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) return false;
  return true;
}
