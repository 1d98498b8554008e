import { isJsonObject, type JsonValue } from '../../src/core/json.ts';

/** A string of JSON, a number of it, or white space between its tokens. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|\s+/gu;

/**
 * The object or list that a text is as JSON; undefined for any other text, and for one that says more than its value keeps: a key
 * that stands twice, a number that is rounded.
 */
export function jsonIn(text: string): JsonValue | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    const isWhole = JSON.stringify(value) === text.replace(tokens, canonical);
    return isWhole ? value : undefined;
  } catch {
    // It only begins like JSON.
    return undefined;
  }
}

/** A token as `JSON.stringify` writes it, unless that changes a number. */
function canonical(token: string): string {
  if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
  if (token.trim() === '') return '';
  const digits = token.replaceAll(/\D/gu, '').length;
  return digits <= 15 && !/e/iu.test(token) ? String(Number(token)) : token;
}

/** Whether a value takes more room than so many characters, about; looks no further than that. */
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
