// Pure cache: keyed by the text that was parsed last.
let lastText: string | undefined;
// Pure cache: what the text parsed last says; no reader changes it.
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
