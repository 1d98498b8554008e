import { leaveOut } from '../../core/untrusted/keep-frames.ts';

/** Shortens a text to about `max` characters, keeping both ends, with a marker that gives the missing length. */
export function clipText(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.ceil(max * 0.7);
  const tail = max - head;
  const kept = leaveOut(text, head, text.length - tail);
  return `${kept.head}\n[… ${text.length - head - tail} characters left out …]\n${kept.tail}`;
}
