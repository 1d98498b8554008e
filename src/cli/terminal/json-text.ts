/** What acts on a terminal or hides in it, and JSON may hold as it is: C1 controls, and what turns the direction of a line. */
const acting = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON that is safe to look at: what a terminal would act on is written as an escape, which every reader of JSON undoes. */
export function jsonText(value: unknown, indent?: number): string {
  return harmless(JSON.stringify(value, null, indent));
}

/** JSON, or lines of JSON, with nothing a terminal would act on; what it says is the same. */
export function harmless(json: string): string {
  return json.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
