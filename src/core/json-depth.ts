import type { JsonValue } from './json.ts';

/** Deepest nesting of a call's arguments: what lies deeper is refused, and shown in history as the text it came as. */
export const maxArgumentDepth = 64;

/** Tells whether a value is nested deeper than `limit`, without recursion: what is nested deep enough breaks whoever recurses. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (isFlat(value)) return false;
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? (Object.values(item) as JsonValue[]) : []));
  }
  return false;
}

/** Most arguments are a handful of plain fields: told without walking level by level. */
function isFlat(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) return false;
  return true;
}
