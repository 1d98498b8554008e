/** Characters that JSON may contain unescaped but that steer a terminal or hide text: C1 controls and bidirectional marks. */
const steeringCharacters = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Serializes a value as JSON that is safe to print: characters that steer a terminal are written as JSON escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, null, indent));
}

/** Escapes characters that steer a terminal in JSON or lines of JSON; the parsed value stays the same. */
export function escapeControls(json: string): string {
  return json.replace(steeringCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
