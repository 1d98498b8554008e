const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Converts a duration to milliseconds: seconds as a number, or a text such as `500ms`, `30s`, `10m`, `1h`; undefined for anything
 * else.
 */
export function toMilliseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.round(value * 1000);
  if (typeof value !== 'string') return undefined;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value);
  return match === null ? undefined : Math.round(Number(match[1]) * (units[match[2] ?? ''] ?? 0));
}
