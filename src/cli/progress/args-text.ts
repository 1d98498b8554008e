import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { safe } from '../../inspect/format/text/layout.ts';

const maxValue = 60;
const maxText = 110;

/** Summarizes the arguments of a call, safe to print: `query: How do I …, limit: 4, actions: 2`. Lists of objects are counted. */
export function argsText(args: JsonObject | null): string {
  const parts = Object.entries(args ?? {}).flatMap(([key, value]) => {
    const text = valueText(value ?? null);
    return text === undefined ? [] : [`${key}: ${text}`];
  });
  return safe(parts.join(', '), maxText);
}

function valueText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : clip(value.replace(/\s+/gu, ' ').trim());
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.every((item) => typeof item === 'string') ? clip(items.join(' ')) : `${items.length}`;
  }
  return isJsonObject(value) ? '{…}' : String(value);
}

function clip(text: string): string {
  return text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text;
}
