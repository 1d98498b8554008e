import { beforeHalf, isLowSurrogate } from './cut-end.ts';
import { leaveOut } from './untrusted/keep-frames.ts';

/**
 * Fits a text into about `max` characters: its head and its tail around a marker with the number of omitted characters. Never
 * splits a character, and repairs cut frames by adding their tags, which may exceed `max`.
 */
export function cutMiddle(text: string, max: number, marker: (characters: number) => string): string {
  if (text.length <= max) return text;
  const room = Math.max(0, max - marker(text.length).length);
  const headEnd = beforeHalf(text, Math.ceil(room * 0.7));
  const tailStart = afterHalf(text, text.length - Math.floor(room * 0.3));
  const { head, tail } = leaveOut(text, headEnd, tailStart);
  const cut = `${head}${marker(tailStart - headEnd)}${tail}`;
  return cut.length < text.length ? cut : text;
}

/** Steps forward from the middle of a surrogate pair. */
function afterHalf(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at + 1 : at;
}
