/** Parses the wait a server asks for, in milliseconds from now; undefined when the headers name none. */
export function parseRetryAfter(headers: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const milliseconds = toDuration(readHeader(headers, 'retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const value = readHeader(headers, 'retry-after');
  const seconds = toDuration(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function readHeader(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && typeof value === 'string') return value.trim();
  }
  return undefined;
}

export function toDuration(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}
