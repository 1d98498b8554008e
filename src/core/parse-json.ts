let lastText: string | undefined;
let lastValue: unknown;

/**
 * Parses JSON text, remembering the last one: a reply's arguments are read once for history and once for the call. The
 * value may be shared, so nobody may change it. Throws SyntaxError like `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (text === lastText) return lastValue;
  const value: unknown = JSON.parse(text);
  lastText = text;
  lastValue = value;
  return value;
}
