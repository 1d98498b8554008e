import { startOf, toVisibleText } from './visible-text.ts';

/** Returns untrusted text as one line of at most `most` characters, with the cut marked. */
export function lineOf(text: string, most = 120): string {
  const start = startOf(text, most);
  const line = toVisibleText(start).replace(/\s*\n\s*/gu, ' ⏎ ');
  return start.length < text.length ? `${line}…` : line;
}
