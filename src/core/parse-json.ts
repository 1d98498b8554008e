// Pure cache: keyed by the last parsed text.
let lastText: string | undefined;
// Pure cache: the value of the last parsed text; readers do not change it.
let lastValue: unknown;

/**
 * Parses JSON text, caching the last one: a reply's arguments are parsed once for history and once for the call. The value may
 * be shared, so callers must not change it. Throws SyntaxError like `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (text === lastText) return lastValue;
  const value: unknown = JSON.parse(text);
  lastText = text;
  lastValue = value;
  return value;
}
