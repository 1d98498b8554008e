import type { JsonValue } from '../../core/json.ts';

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

/** True for a handful of plain fields, as most arguments are; avoids setting up a walk. */
function isHarmless(value: object): boolean {
  for (const key of Object.keys(value)) {
    if (forbidden.has(key)) return false;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null) return false;
  }
  return true;
}

/** Returns the JSON pointer to the first own key that leads to a prototype in JavaScript (FAULTS M9), or undefined. */
export function forbiddenKeyPath(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null || isHarmless(value)) return undefined;
  const seen = new Set<object>([value]);
  const waiting: { readonly path: string; readonly value: object }[] = [{ path: '', value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const isList = Array.isArray(next.value);
    for (const [key, inner] of Object.entries(next.value) as [string, JsonValue | undefined][]) {
      const nested = typeof inner === 'object' && inner !== null;
      if (!nested && (isList || !forbidden.has(key))) continue;
      const path = `${next.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!isList && forbidden.has(key)) return path;
      if (!nested || seen.has(inner)) continue;
      seen.add(inner);
      waiting.push({ path, value: inner });
    }
  }
  return undefined;
}
