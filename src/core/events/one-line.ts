import type { JsonValue } from '../json.ts';

/** Returns a value as one line of at most 120 characters. */
export function oneLine(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.slice(0, 400).replace(/\s+/gu, ' ').trim();
  const shown = line.slice(0, 119);
  return shown.length < line.length || text.length > 400 ? `${shown}…` : shown;
}
