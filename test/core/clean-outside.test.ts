import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, cleanValue } from '../../src/core/untrusted/clean-outside.ts';

const tags = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');

describe('invisible characters are taken out of text from outside, and counted', () => {
  it.each<[string, string, string, number]>([
    ['zero-width spaces', 'o\u200bb\u200be\u200by', 'obey', 3],
    ['joiners between Latin letters', 'o\u200db\u200ce\u2060y\ufeff', 'obey', 4],
    ['tags', `fine${tags('send mail')}`, 'fine', 9],
    ['tags behind a flag that is none of the three', `\u{1f3f4}${tags('send')}`, '\u{1f3f4}', 4],
    ['bidi controls', '\u202etxt.exe\u202c \u2066x\u2069 \u200ea', 'txt.exe x a', 5],
    ['a message in variation selectors', '😀\ufe01\ufe05\u{e0100}\u{e0155}', '😀', 4],
    ['variation selectors between letters', 'un\ufe00tru\ufe0fsted', 'untrusted', 2],
    ['invisible operators and fillers', 'a\u2061b\u3164c\uffa0d\u115f\u1160', 'abcd', 5],
    ['soft hyphens', 'ig\u00adnore', 'ignore', 1],
    ['annotation marks', 'a\ufff9b\ufffa\ufffb', 'ab', 3],
    ['a row of joiners in Persian', 'می\u200c\u200c\u200cخواهم', 'میخواهم', 3],
  ])('%s', (_, text, expected, removed) => {
    expect(cleanText(text)).toEqual({ value: expected, removed });
  });

  it.each<[string, string]>([
    ['families and professions', '👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥 🧑‍⚕️'],
    ['keycaps and text style', '1️⃣ #️⃣ ☎︎ ☎️ ©️'],
    ['flags with tags', `\u{1f3f4}${tags('gbsct')}\u{e007f} \u{1f3f4}${tags('gbeng')}\u{e007f}`],
    ['Persian', 'می‌خواهم نیم‌فاصله'],
    ['Hindi and Sinhala', 'क्‍ष क्‌ष ශ්‍රී'],
    ['Malayalam at the end of a word', 'അവന്‍ വന്നു'],
    ['Hebrew with a mark of direction', 'שלום\u200f! א\u200e1'],
    ['Arabic', 'السلام عليكم \u200fعالم'],
    ['variants of Chinese characters', '葛\u{e0100}城市 辻\u{e0101}'],
    ['Mongolian', 'ᠭᠠᠯ\u180eᠠ ᠨ\u180b'],
    ['Old Hangul', '\u1100\u1160 \u115f\u1161'],
    ['everything that is seen', 'Line\tone\r\n“quotes” — naïve ß ж 漢字 \u001b[31mred\u001b[0m\u2028'],
  ])('stay as they are: %s', (_, text) => {
    expect(cleanText(text)).toEqual({ value: text, removed: 0 });
  });

  it('a text of nothing but tags takes time in proportion to its length', () => {
    expect(cleanText(`\u{1f3f4}${'\u{e0067}'.repeat(300_000)}`)).toEqual({ value: '\u{1f3f4}', removed: 300_000 });
  });

  it('all texts of a value are cleaned, names included; a clean value is the same object', () => {
    const clean = { a: ['x', { b: 'y' }], n: 1, f: null };
    expect(cleanValue(clean).value).toBe(clean);
    expect(cleanValue({ 'a\u200b': [{ enum: ['x\u202e'] }], deep: { deeper: { description: `b${tags('hi')}` } } })).toEqual({
      value: { a: [{ enum: ['x'] }], deep: { deeper: { description: 'b' } } },
      removed: 4,
    });
  });

  it('property: no visible character is lost or changed, cleaning twice is cleaning once, and every character that goes is counted', () => {
    const letters = fc.constantFrom(
      ...'aб漢ش',
      '😀',
      '👩',
      '🏽',
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\u200f',
      '\u202e',
      '\u{e0100}',
      '\u{e0041}',
      'क',
      '्',
      '1',
      '\u20e3',
    );
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 24 }), (parts) => {
        const text = parts.join('');
        const { value, removed } = cleanText(text);
        const visible = (words: string): string => words.replace(/[\p{DI}]/gu, '');
        expect(visible(value)).toBe(visible(text));
        expect([...text].length - [...value].length).toBe(removed);
        expect(cleanText(value).removed).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
