import { isNeededJoiner, unseenCharacters } from '../../src/inspect/format/text/terminal-text.ts';

/** Makes every hidden or moving character of untrusted text visible: `␛` for an escape, `⟨202E⟩` for a change of direction. */
export function toVisibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unseenCharacters, (character, at: number, whole: string) => {
    if (character === '\n' || character === '\t' || isNeededJoiner(character, at, whole)) return character;
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Returns the start of a text, without cutting a character in half. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
