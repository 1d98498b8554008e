import { cleanText } from './clean-outside.ts';
import { escapeFrameTags, frameTag, frameWords } from './frame-tag.ts';
import type { ContentHash } from '../ids.ts';
import type { Content, ContentPart } from '../prompt/message.ts';

/** What a frame says of the text in it. */
export interface FrameFacts {
  /** The tool, toolset or source it is from. */
  readonly from: string;
  /** What tells this frame's end from every text inside; absent in runs that began before frames had one. */
  readonly nonce?: string | undefined;
  /** How many invisible characters were taken out of the text before it came here. */
  readonly removed?: number | undefined;
}

/** A text in its frame, and how many invisible characters were taken out of it here and before. */
export interface Framed<Value extends Content = Content> {
  readonly content: Value;
  readonly removed: number;
}

/**
 * Frames what came from outside as data (FAULTS S1): one line says whose it is. The end of a frame bears a nonce that no text from
 * outside can know; what looks like the tag of a frame is escaped besides.
 */
export function frameUntrusted(content: string, facts: FrameFacts): Framed<string>;
export function frameUntrusted(content: Content, facts: FrameFacts): Framed;
export function frameUntrusted(content: Content, { from, nonce, removed: before = 0 }: FrameFacts): Framed {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : joined(content);
  const inside = parts.map(cleaned);
  const removed = inside.reduce((sum, part) => sum + part.removed, before);
  const id = nonce === undefined ? '' : ` nonce="${nonce}"`;
  const name = from.replace(/[^\w.:/@ -]/g, '_').slice(0, 100);
  const lost = removed === 0 ? '' : ` Taken out of it: ${removed} invisible character${removed === 1 ? '' : 's'}.`;
  const open = `<${frameTag} from="${name}"${id}>: ${frameWords}${lost}`;
  const close = `</${frameTag}${id}>`;
  const framed = inside.map(({ part }) => (part.type === 'text' ? { ...part, text: escapeFrameTags(part.text) } : part));
  if (typeof content !== 'string')
    return { content: [{ type: 'text', text: open }, ...framed, { type: 'text', text: close }], removed };
  const [only] = framed;
  return { content: `${open}\n${only?.type === 'text' ? only.text : ''}\n${close}`, removed };
}

/**
 * The nonce of a frame at a place, 11 small letters (51 bits): of an item by its id, of a value in a prompt by the place and the text. A function of the journal,
 * since the seed is in it; the outside does not know the seed. Undefined for runs without one.
 */
export function frameNonce(hash: (text: string) => ContentHash, seed: string | undefined, place: string): string | undefined {
  return seed === undefined ? undefined : lettersOf(hash(`${seed}\n${place}`));
}

/** Characters of a hash by the number they stand for. */
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const numberOf = new Uint8Array(128);
for (let at = 0; at < base64url.length; at += 1) numberOf[base64url.charCodeAt(at)] = at;

/** Each two characters of a hash as a small letter: nonces are all of one kind, so that prompts are estimated alike in every run. */
function lettersOf(hash: string): string {
  let letters = '';
  for (let at = 0; at + 1 < hash.length; at += 2) {
    const [first = 0, second = 0] = [numberOf[hash.charCodeAt(at)], numberOf[hash.charCodeAt(at + 1)]];
    letters += String.fromCharCode(97 + ((first * 64 + second) % 26));
  }
  return letters;
}

function cleaned(part: ContentPart): { readonly part: ContentPart; readonly removed: number } {
  if (part.type !== 'text') return { part, removed: 0 };
  const { value, removed } = cleanText(part.text);
  return { part: removed === 0 ? part : { ...part, text: value }, removed };
}

/** Neighbouring texts as one: providers join them, and a tag must not come about where they meet. */
function joined(parts: readonly ContentPart[]): readonly ContentPart[] {
  const whole: ContentPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'text' && last?.type === 'text') whole[whole.length - 1] = { ...last, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}
