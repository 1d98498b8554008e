import { CadreError } from '../core/error.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../core/json.ts';

/**
 * Schema of a duration in a toolset's settings, as everywhere in YAML: seconds as a number, or a text such as `500ms`, `30s`, `10m`,
 * `1h`.
 */
export function durationSetting(description: string): JsonSchema {
  return {
    type: ['number', 'string'],
    exclusiveMinimum: 0,
    pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$',
    'x-expects': 'seconds as a number, or a text like 500ms, 30s, 10m, 1h',
    description,
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns a duration from checked settings in milliseconds; `fallbackMs` when it is not set. */
export function durationOf(settings: JsonObject, key: string, fallbackMs: number): number {
  const value: JsonValue | undefined = settings[key];
  if (value === undefined || value === null) return fallbackMs;
  if (typeof value === 'number') return Math.round(value * 1_000);
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value) : null;
  if (match !== null) return Math.round(Number(match[1]) * (units[match[2] ?? ''] ?? 0));
  throw new CadreError('OPTION_INVALID', `the setting ${key} must be seconds as a number, or a text like 500ms, 30s, 10m, 1h`);
}

/** Returns a setting that is a text. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns a setting that is a number. */
export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Returns the texts of a setting that is a list. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === 'string') : [];
}
