import { cutEnd } from '../../core/cut-end.ts';
import { cleanText as cleanOutside } from '../../core/untrusted/clean-outside.ts';

/** Control characters, except line breaks and tabs: no description has a use for them. */
// oxlint-disable-next-line no-control-regex -- control characters are searched for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Cleans a server's text for models and people: removes invisible characters and limits it to `maxChars`. */
export function cleanText(text: string, maxChars: number): string {
  const visible = cleanOutside(text.toWellFormed().replace(controls, '')).value.trim();
  return visible.length <= maxChars ? visible : `${cutEnd(visible, maxChars)}… (${visible.length} characters)`;
}
