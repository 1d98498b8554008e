import type { JsonValue } from '../json.ts';
import { frameTag, frameWords } from './frame-untrusted.ts';

/** The opening or closing tag of a frame as the engine writes it, also quoted in JSON. */
const tag = new RegExp(
  `<${frameTag} from=\\\\*"[^"\\n]*"(?: nonce=\\\\*"([\\w-]+)\\\\*")?>: ${RegExp.escape(frameWords)}(?: Taken out of it: \\d+ invisible characters?\\.)?|</${frameTag}(?: nonce=\\\\*"([\\w-]+)\\\\*")?>`,
  'g',
);

interface Tag {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly opens: boolean;
}

/**
 * Returns head and tail of a text without its middle. A frame that loses its closing tag gets one, and one that loses its
 * opening tag gets it again, so that no untrusted text is without a frame.
 */
export function leaveOut(text: string, headEnd: number, tailStart: number): { readonly head: string; readonly tail: string } {
  if (!text.includes(`<${frameTag}`)) return { head: text.slice(0, headEnd), tail: text.slice(tailStart) };
  const tags = [...text.matchAll(tag)].map(({ index, 0: found }): Tag => ({
    from: index,
    to: index + found.length,
    text: found,
    opens: !found.startsWith('</'),
  }));
  // A tag is kept whole or not at all.
  const headTo = tags.find(({ from, to }) => from < headEnd && headEnd < to)?.from ?? headEnd;
  const tailFrom = tags.find(({ from, to }) => from < tailStart && tailStart < to)?.to ?? tailStart;
  const before = tags.findLast(({ to }) => to <= headTo);
  const behind = tags.findLast(({ to }) => to <= tailFrom);
  const head = text.slice(0, headTo);
  const tail = text.slice(tailFrom);
  if (before === behind) return { head, tail };
  return {
    head: before?.opens === true ? `${head}\n${endOf(before)}` : head,
    tail: behind?.opens === true ? `${behind.text}\n${tail}` : tail,
  };
}

function endOf({ text }: Tag): string {
  const nonce = / nonce=(\\*"[\w-]+\\*")>/.exec(text)?.[0];
  return `</${frameTag}${nonce ?? '>'}`;
}

/** A whole frame as the engine writes it. */
const frame = new RegExp(`<${frameTag} from="[^"\\n]*" nonce="([\\w-]+)">: [^]*?</${frameTag} nonce="\\1">`, 'g');

/** True when a text that code made of a value holds each frame of that value whole, as it is or quoted in JSON. */
export function keepsFrames(value: JsonValue, text: string): boolean {
  const kept = withoutForm(text);
  return textsIn(value).every((each) => [...each.matchAll(frame)].every(([found]) => kept.includes(withoutForm(found))));
}

/** Removes what the forms of a text differ in: blanks, line ends, and the escapes of JSON. */
function withoutForm(text: string): string {
  return text.replace(/\\[nrt]|\\(?=["\\])|\s/g, '');
}

/** Returns all texts in a value, including names of keys. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)]);
}
