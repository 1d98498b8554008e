/** Characters nobody sees and models read all the same: controls, direction marks, zero-width ones, tags. */
const unseen =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

/** Text of a server for a model and for people: without characters nobody can see, and no longer than `maxChars`. */
export function cleanText(text: string, maxChars: number): string {
  const visible = text.toWellFormed().replace(unseen, '').trim();
  return visible.length <= maxChars ? visible : `${visible.slice(0, maxChars)}… (${visible.length} characters)`;
}
