import { cleanText as cleanOutside } from '../../core/untrusted/clean-outside.ts';

/** Control characters, except line breaks and tabs: no description has a use for them. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Text of a server for a model and for people: without invisible characters, and no longer than `maxChars`. */
export function cleanText(text: string, maxChars: number): string {
  const visible = cleanOutside(text.toWellFormed().replace(controls, '')).value.trim();
  return visible.length <= maxChars ? visible : `${visible.slice(0, maxChars)}… (${visible.length} characters)`;
}
