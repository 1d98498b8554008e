import type { SourceRef } from '../../src/core/profile/source-ref.ts';
import { startOf, toVisibleText } from './visible-text.ts';

/** Returns an untrusted name or sentence as one line, with hidden characters made visible and long text shortened. */
export function safe(text: string, length = 300): string {
  const shown = toVisibleText(startOf(text, length)).replaceAll('\n', '⏎');
  return text.length > length ? `${shown}…` : shown;
}

/** Formats a place in a file. */
export function placeText({ file, line, column }: SourceRef): string {
  return `${safe(file)}:${line}:${column}`;
}
