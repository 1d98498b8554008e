import type { SourceRef } from '../../src/core/profile/source-ref.ts';
import { startOf, toVisibleText } from './visible-text.ts';

/** An untrusted name or sentence for one line: what hides is made visible, and a long one is cut. */
export function safe(text: string, length = 300): string {
  const shown = toVisibleText(startOf(text, length)).replaceAll('\n', '⏎');
  return text.length > length ? `${shown}…` : shown;
}

/** A place in a file. */
export function placeText({ file, line, column }: SourceRef): string {
  return `${safe(file)}:${line}:${column}`;
}
