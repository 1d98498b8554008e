import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPipedText } from '../../src/inspect/format/text/piped-text.ts';

describe('F61: text for a pipe', () => {
  it.each([
    ['a write to the clipboard', 'a\x1b]52;c;ZXZpbA==\x07b', 'ab'],
    ['one that ends with ST', 'a\x1b]52;c;ZXZpbA==\x1b\\b', 'ab'],
    ['one in 8 bits', 'a\x9d52;c;ZXZpbA==\x9cb', 'ab'],
    ['one without an end', 'a\x1b]52;c;ZXZpbA==\nb', 'a\nb'],
    ['a string for the device', 'a\x1bPq1\x1b\\b', 'ab'],
    ['a link', '\x1b]8;;https://evil.example\x07text\x1b]8;;\x07', 'text'],
    ['colours', '\x1b[31mred\x1b[0m \x9b1mbold', 'red bold'],
    ['moves of the cursor', 'a\x1b[2J\x1b[Hb\x1bcc', 'abc'],
    ['backspaces and returns', 'good\b\b\b\bevil\rover\r\nend', 'goodevilover\nend'],
    ['changes of direction', 'a\u202eb\u2066c', 'abc'],
    ['tags', 'a\u{e0041}\u{e0042}b', 'ab'],
  ])('loses %s', (_, text, left) => {
    expect(toPipedText(text)).toBe(left);
  });

  it('keeps words of every script, tabs and line feeds', () => {
    const text = 'Tea\t茶\nمی‌خواهم 👩‍💻 [31m ]52;c;';
    expect(toPipedText(text)).toBe(text);
  });

  it('property: no control character is left, wherever sequences are cut or nested', () => {
    const piece = fc.constantFrom(
      '\x1b',
      '\x1b]52;c;',
      '\x1b[',
      '\x9b',
      '\x9d',
      '\x07',
      '\x1b\\',
      'a',
      '1',
      ';',
      '\n',
      '\u202e',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const left = toPipedText(pieces.join(''));
        expect(left).toMatch(/^[a1;\n\]52c[\\]*$/);
        expect(left.replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 500 },
    );
  });
});
