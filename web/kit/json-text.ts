import { isJsonObject, type JsonValue } from '../../src/core/json.ts';

/** Matches a JSON string, a JSON number, or white space between tokens. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|\s+/gu;

/**
 * Parses a text that is a JSON object or list; undefined for any other text, and for JSON that its value would not preserve: duplicate
 * keys, rounded numbers.
 */
export function jsonIn(text: string): JsonValue | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    const isWhole = JSON.stringify(value) === text.replace(tokens, canonical);
    return isWhole ? value : undefined;
  } catch {
    // The text only begins like JSON.
    return undefined;
  }
}

/** Writes a token as `JSON.stringify` does, unless that would change a number. */
function canonical(token: string): string {
  if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
  if (token.trim() === '') return '';
  const digits = token.replaceAll(/\D/gu, '').length;
  return digits <= 15 && !/e/iu.test(token) ? String(Number(token)) : token;
}

/** True when a value takes more than about `most` characters; stops reading there. */
export function isLarge(value: unknown, most: number): boolean {
  return roomLeft(value, most) < 0;
}

function roomLeft(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length;
  if (Array.isArray(value)) return value.reduce<number>((left, part) => (left < 0 ? left : roomLeft(part, left - 2)), room);
  if (!isJsonObject(value)) return room - 4;
  let left = room;
  for (const key in value) if (left >= 0) left = roomLeft(value[key], left - key.length - 4);
  return left;
}
