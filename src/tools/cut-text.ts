import { cutMiddle } from '../core/cut-middle.ts';

/** Returns the marker that replaces text cut from a result; `ref` is the address of the full text. */
export function cutMarker(characters: number, ref?: string): string {
  const stored = ref === undefined ? '' : `; the full result is stored as ${ref}`;
  return `\n… [${characters} characters cut${stored}] …\n`;
}

/** Shortens a text to about `max` characters: its head and its tail with a marker between them (FAULTS X3). Never splits a character. */
export function cutText(text: string, max: number, ref?: string): string {
  return cutMiddle(text, max, (characters) => cutMarker(characters, ref));
}
