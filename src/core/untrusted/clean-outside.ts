import { isJsonObject } from '../json.ts';
import type { Content } from '../prompt/message.ts';

/*
 * Removal of characters from untrusted text that models read but people do not see.
 *
 * Owns: the choice of characters, and their count. Does not own: the decision that a text is untrusted, which the receiving code makes.
 * 1. No visible character changes, and no word: emoji with their joiners and variation selectors, Persian and Indic joiners,
 *    variants of Chinese characters and the marks of right-to-left text stay where they have an effect.
 * 2. A character with an effect is kept once where it is, so that repetitions of it carry no message.
 * 3. A clean value is returned itself, at the cost of one scan.
 */

/** A value without invisible characters, and the number removed. */
export interface Cleaned<Value> {
  readonly value: Value;
  readonly removed: number;
}

const unseen = /[\p{DI}\ufff9-\ufffb]/u;
const eachUnseen = /[\p{DI}\ufff9-\ufffb]/gu;

const scripts = (...names: readonly string[]): string => names.map((name) => `\\p{Script=${name}}`).join('');
/** Scripts in which joiners between letters change the writing of a word. */
const joining = new RegExp(
  `[${scripts('Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan')}]`,
  'u',
);
const rightToLeft = new RegExp(`[${scripts('Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko', 'Samaritan', 'Mandaic')}]`, 'u');
const mongolian = /\p{Script=Mongolian}/u;
const han = /\p{Script=Han}/u;
const pictograph = /\p{Extended_Pictographic}/u;
const modifier = /\p{Emoji_Modifier}/u;
const emoji = /(?![0-9#*])\p{Emoji}/u;
const mark = /\p{M}/u;
/** Characters that the first variation selector turns into a standard variant. */
const hasVariants = new RegExp(`[\\p{Sm}${scripts('Han', 'Myanmar', 'Phags_Pa', 'Manichaean')}]`, 'u');

/** Flags written with tags: a black flag, the letters of a region, an end. */
const tagFlags = ['gbeng', 'gbsct', 'gbwls'].map(
  (region) =>
    `\u{1f3f4}${[...region].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')}\u{e007f}`,
);

/** Removes invisible characters from a text. */
export function cleanText(text: string): Cleaned<string> {
  if (!unseen.test(text)) return { value: text, removed: 0 };
  let removed = 0;
  const value = text.replace(eachUnseen, (found, at: number) => {
    if (hasEffect(text, found, at)) return found;
    removed += 1;
    return '';
  });
  return { value, removed };
}

/** Removes invisible characters from a message's content, including file names; the bytes of files stay. */
export function cleanContent(content: Content): Cleaned<Content> {
  if (typeof content === 'string') return cleanText(content);
  let removed = 0;
  const parts = content.map((part) => {
    const { value, removed: lost } = cleanText((part.type === 'text' ? part.text : part.filename) ?? '');
    removed += lost;
    if (lost === 0) return part;
    return part.type === 'text' ? { ...part, text: value } : { ...part, filename: value };
  });
  return { value: removed === 0 ? content : parts, removed };
}

/** Removes invisible characters from all texts of a value, including field names; returns a clean value itself. */
export function cleanValue<Value>(value: Value): Cleaned<Value> {
  const counter = { removed: 0 };
  return { value: walk(value, counter) as Value, removed: counter.removed };
}

function walk(value: unknown, counter: { removed: number }): unknown {
  if (typeof value === 'string') {
    const cleaned = cleanText(value);
    counter.removed += cleaned.removed;
    return cleaned.value;
  }
  if (Array.isArray(value)) {
    const before = counter.removed;
    const list = value.map((item) => walk(item, counter));
    return counter.removed === before ? value : list;
  }
  if (!isJsonObject(value)) return value;
  const before = counter.removed;
  const entries: (readonly [unknown, unknown])[] = [];
  for (const key of Object.keys(value)) entries.push([walk(key, counter), walk(value[key], counter)]);
  return counter.removed === before ? value : Object.fromEntries(entries);
}

/** True when the character at this place affects a visible one beside it. */
function hasEffect(text: string, found: string, at: number): boolean {
  const before = charBefore(text, at);
  const after = charAt(text, at + found.length);
  const code = found.codePointAt(0) ?? 0;
  if (code === 0x200c) return joins(before, after);
  if (code === 0x200d) return joins(before, after) || joinsEmoji(text, at, { before, after });
  if (code === 0x200e || code === 0x200f || code === 0x61c) return rightToLeft.test(before) || rightToLeft.test(after);
  if (code === 0xfe0e || code === 0xfe0f) return emoji.test(before) || (/[0-9#*]/.test(before) && after === '\u20e3');
  if (code === 0xfe00) return hasVariants.test(before);
  if (code === 0xfe01 || code === 0xfe02 || (code >= 0xe0100 && code <= 0xe01ef)) return han.test(before);
  if (code >= 0x180b && code <= 0x180f) return mongolian.test(before) && !unseen.test(before);
  if (code === 0x115f) return /[\u1161-\u11a7]/.test(after);
  if (code === 0x1160) return /[\u1100-\u115e]/.test(before);
  if (code >= 0xe0020 && code <= 0xe007f) return tagFlags.some((flag) => isWithin(text, flag, at));
  return false;
}

/** True between two letters of a script that joins them, or after the mark that would join them. */
function joins(before: string, after: string): boolean {
  if (unseen.test(before) || !joining.test(before)) return false;
  return mark.test(before) || (joining.test(after) && !unseen.test(after));
}

/** True between two pictures, the first of which may have a skin tone or a variation selector. */
function joinsEmoji(text: string, at: number, { before, after }: { readonly before: string; readonly after: string }): boolean {
  if (!pictograph.test(after)) return false;
  const isVariant = before === '\ufe0f';
  const picture = isVariant || modifier.test(before) ? charBefore(text, at - before.length) : before;
  return pictograph.test(picture) || modifier.test(picture);
}

/** True within a flag. Looks back no further than its length: a text may consist of tags alone. */
function isWithin(text: string, flag: string, at: number): boolean {
  const from = Math.max(0, at - flag.length);
  const start = text.slice(from, at).lastIndexOf('\u{1f3f4}');
  return start >= 0 && text.startsWith(flag, from + start) && at < from + start + flag.length;
}

function charAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function charBefore(text: string, at: number): string {
  if (at <= 0) return '';
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 1 ? charAt(text, at - 2) : text.charAt(at - 1);
}
