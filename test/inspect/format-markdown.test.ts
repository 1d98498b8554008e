import { stripVTControlCharacters, styleText } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatMarkdown, MarkdownWriter } from '../../src/inspect/format/text/format-markdown.ts';
import { plainStyle, type TextStyle } from '../../src/inspect/format/text/text-style.ts';
import { textWidth } from '../../src/inspect/format/text/text-width.ts';

const marked: TextStyle = {
  ...plainStyle,
  bold: (text) => styleText('bold', text, { validateStream: false }),
  cyan: (text) => styleText('cyan', text, { validateStream: false }),
  italic: (text) => styleText('italic', text, { validateStream: false }),
};
const bare = (text: string): string => stripVTControlCharacters(text);

const report = `# Report
Two **bold** words and \`code\`, [the docs](https://a.example/x).
- one
  - two, of a sentence that has no room in one line
1. first

> quoted words
| name | what |
|---|---|
| a | *long* words that are wrapped in their cell |
\`\`\`ts
const x = 1; // **no mark**
\`\`\``;

describe('F32: Markdown in a terminal', () => {
  afterEach(() => vi.restoreAllMocks());

  it('F32: has headings, lists, quotes, code, tables and the addresses of links, in lines that fit', () => {
    expect(bare(formatMarkdown(report, { style: marked, width: 36 }))).toBe(`Report

Two bold words and code, the docs
(https://a.example/x).

• one
  • two, of a sentence that has no
    room in one line
1. first

│ quoted words

name │ what
─────┼──────────────────────────────
a    │ long words that are wrapped
     │ in their cell

    ts
    const x = 1; // **no mark**
`);
    expect(formatMarkdown('# A\n**b** `c` *d*', { style: marked })).toBe(
      '\u001b[1mA\u001b[22m\n\n\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m \u001b[3md\u001b[23m\n',
    );
  });

  it('F32: keeps the marks that say something where there are no styles (NO_COLOR)', () => {
    expect(formatMarkdown('## A\n**b** `c` *d*')).toBe('## A\n\n**b** `c` *d*\n');
  });

  it('F32: says each row of a table by its titles where the columns have no room', () => {
    expect(
      formatMarkdown('| name | what it is | why |\n|--|--|--|\n| aaaaaaaaa | bbbbbbbbbbb | ccccccccccc |', { width: 24 }),
    ).toBe('• name: aaaaaaaaa\n  what it is:\n    bbbbbbbbbbb\n  why: ccccccccccc\n');
  });

  it('F32: leaves JSON as it was written', () => {
    expect(formatMarkdown('{"a": "*x* and *y*"}')).toBe('{"a": "*x* and *y*"}\n');
  });

  it('F32: shows what would steer a terminal, in every kind of block', () => {
    const evil = '\u001b]52;c;ZXZpbA==\u0007\u202e';
    for (const before of ['', '# ', '- ', '> ', '```\n', '```', '`', '**', '| ', '[a](b'])
      expect(formatMarkdown(`${before}${evil}`, { style: plainStyle })).not.toMatch(/[[\p{Cf}\p{Cc}]--[\n]]/v);
  });

  const parts = fc.array(
    fc.constantFrom(
      '*',
      '**',
      '`',
      '```',
      '~~~',
      '[a](b)',
      '# ',
      '- ',
      '1. ',
      '> ',
      '|',
      '|a|b|\n|-|-|\n',
      '\n',
      '\n\n',
      '\\',
      ' ',
      'é',
      '日',
      '7',
      'word',
      '\r\n',
      '\u001b[2J',
    ),
    { maxLength: 60 },
  );

  it('F32: loses no letter, and has no line that is too long', () => {
    const letters = (text: string): string => text.replaceAll(/[^a-zé日7]/gu, '');
    fc.assert(
      fc.property(parts, fc.integer({ min: 20, max: 100 }), (all, width) => {
        const text = all.join('').replaceAll('|-|-|', '');
        const shown = formatMarkdown(text, { style: marked, width });
        for (const line of shown.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
        // A narrow line may end within the name of a control character.
        const plain = bare(shown).replaceAll(/\\\s*x\s*(?:1\s*b|0\s*d)/g, '');
        expect(letters(plain)).toBe(letters(text.replaceAll('\\x', '')));
      }),
    );
  });

  it('F32: is the same when it arrives in parts, and what is complete is said at once', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const text = `x${all.join('')}`;
        const writer = new MarkdownWriter(() => ({ style: marked, width: 40 }));
        const said = all.map((part, index) => writer.write(index === 0 ? `x${part}` : part)).join('');
        expect(said + (all.length === 0 ? writer.write(text) : '') + writer.end()).toBe(
          formatMarkdown(text, { style: marked, width: 40 }),
        );
      }),
    );
    const writer = new MarkdownWriter(() => ({}));
    expect(['# A\nwor', 'ds\n', '\n- one\n', '- two\n', '```\nco', 'de\n'].map((part) => writer.write(part))).toEqual([
      '# A\n',
      '',
      '\nwords\n',
      '\n• one\n',
      '• two\n',
      '\n    code\n',
    ]);
  });

  it('F32: costs what a hostile text is long, also when it arrives word by word', () => {
    for (const part of [
      '```\n',
      '~~~\nx\n',
      '> > > > ',
      '  - ',
      '**a ',
      '*a*',
      '`a``b```c',
      '[a](',
      '| a ',
      '|a|\n|-|\n',
      'a\n',
      '日',
    ])
      expect([part, work(part, 4_000) < 2.3 * work(part, 2_000) + 2_000]).toEqual([part, true]);
    const ticks = (count: number): string => Array.from({ length: count }, (_, index) => `${'`'.repeat(index + 1)} `).join('');
    const [few, many] = [ticks(100), ticks(200)];
    expect(work(many, 1) / many.length).toBeLessThan(1.5 * (work(few, 1) / few.length) + 1);
  });
});

/** How many characters are handed to searches and patterns while a text of so many parts is written part by part. */
function work(part: string, count: number): number {
  let characters = 0;
  const { test, exec } = RegExp.prototype;
  const { indexOf } = String.prototype;
  vi.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, text: string) {
    characters += this.sticky ? 1 : text.length;
    return test.call(this, text);
  });
  vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    const isSearch = this.global && found !== null;
    characters += isSearch || this.sticky ? (found === null ? 1 : found.index + found[0].length - from) : text.length - from;
    return found;
  });
  vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, word: string, from = 0) {
    const at = indexOf.call(this, word, from);
    characters += (at < 0 ? this.length : at) - from;
    return at;
  });
  const writer = new MarkdownWriter(() => ({ width: 40 }));
  for (let index = 0; index < count; index++) writer.write(part);
  writer.end();
  vi.restoreAllMocks();
  return characters;
}
