import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLarge, jsonIn } from '../../web/kit/json-text.ts';
import type { MarkdownBlock } from '../../src/inspect/markdown/markdown-block.ts';
import { type Inline, markdownInline } from '../../src/inspect/markdown/markdown-inline.ts';
import { parseMarkdown } from '../../src/inspect/markdown/parse-markdown.ts';

/** Returns inline nodes as one text: `<b>` and `<i>` for emphasis, `<c>` for code, `→` before a target. */
function told(words: readonly Inline[]): string {
  return words
    .map((piece) => {
      switch (piece.kind) {
        case 'text':
          return piece.text;
        case 'code':
          return `<c>${piece.text}</c>`;
        case 'target':
          return `→${piece.text}`;
        case 'strong':
          return `<b>${told(piece.words)}</b>`;
        case 'emphasis':
          return `<i>${told(piece.words)}</i>`;
      }
    })
    .join('');
}

const inline = (text: string): string => told(markdownInline(text));

/** Returns blocks as lines. */
function lines(text: string): readonly string[] {
  return parseMarkdown(text).flatMap((block: MarkdownBlock) => {
    switch (block.kind) {
      case 'heading':
        return [`h${block.level} ${told(block.words)}`];
      case 'list':
        return block.items.map(({ depth, marker, words }) => `${'  '.repeat(depth)}${marker} ${told(words)}`);
      case 'code':
        return [`code ${block.info}`, ...block.text.split('\n')];
      case 'table':
        return [block.head, ...block.rows].map((row) => `| ${row.map(told).join(' | ')}`);
      case 'rule':
        return ['rule'];
      case 'paragraph':
      case 'quote':
        return [`${block.kind} ${told(block.words)}`];
    }
  });
}

describe('F54: the Markdown that the page shows', () => {
  it('has headings, paragraphs, lists, code, quotes, tables and rules', () => {
    const text = [
      '# Report',
      'Two **bold** words,',
      'next line.',
      '',
      '- one',
      '  - `two`',
      '    more of two',
      '1. first',
      '',
      '2. second',
      '```ts',
      '# no heading',
      '```',
      '> said',
      '> twice',
      '| a | b |',
      '|---|:-:|',
      '| 1 | *2* |',
      '***',
    ].join('\n');
    expect(lines(text)).toEqual([
      'h1 Report',
      'paragraph Two <b>bold</b> words,\nnext line.',
      '• one',
      '  • <c>two</c>\nmore of two',
      '1. first',
      '2. second',
      'code ts',
      '# no heading',
      'quote said\ntwice',
      '| a | b',
      '| 1 | <i>2</i>',
      'rule',
    ]);
  });

  it('shows the target of a link and of an image beside their words, whatever it is', () => {
    expect(inline('see [the **docs**](https://a.example/x "t") now')).toBe('see the <b>docs</b>→https://a.example/x now');
    expect(inline('![pixel](https://evil.example/p.png)')).toBe('pixel→https://evil.example/p.png');
    expect(inline('[bank](javascript:alert`1`)')).toBe('bank→javascript:alert`1`');
  });

  it('leaves alone what only looks like a mark: names, products, patterns, HTML', () => {
    for (const text of [
      '__init__.py',
      'snake_case_name',
      '2 * 3 * 4',
      '*.ts and *.js',
      'a*b*c',
      '<b onclick="x">y</b>',
      '[a] (b)',
      '**open',
      '5. ',
    ])
      expect(inline(text)).toBe(text);
    expect(lines('#no heading\n-no item\n|no table|')).toEqual(['paragraph #no heading\n-no item', 'paragraph |no table|']);
    expect(inline('\\*no\\* `a \\* b` ``a ` b``')).toBe('*no* <c>a \\* b</c> <c>a ` b</c>');
  });

  it('loses no letter and no digit of any text, and reads long hostile ones', () => {
    const marked = fc.array(
      fc.constantFrom('*', '**', '`', '```', '[', '](', ')', '!', '#', '- ', '> ', '|', '\n', '\\', ' ', 'a', 'é', '7', '😀'),
    );
    const letters = (text: string): string => text.replaceAll(/[^a-zé7😀]/gu, '');
    const content = (text: string): string =>
      letters(
        lines(text)
          .join('\n')
          .replaceAll(/<\/?[bic]>|^h\d |^(?:paragraph|quote|code) |^rule$/gmu, ''),
      );
    fc.assert(
      fc.property(marked, (parts) => {
        const text = parts.join('');
        expect(content(text)).toBe(letters(text));
      }),
    );
    for (const part of ['**a ', '[', '[a](', '`', '``a`', '*a', '> ', '- ', '| ', '\\', '# a          '])
      expect(parseMarkdown(part.repeat(100_000)).length).toBeGreaterThan(0);
    expect(parseMarkdown(`# a${' '.repeat(300_000)}b`)).toHaveLength(1);
  });
});

describe('F54: JSON in a text', () => {
  it('is laid out only where nothing of the text is lost', () => {
    expect(jsonIn('{"a":[1,2.50,"\\u00e9\\/"] , "b":null}')).toEqual({ a: [1, 2.5, 'é/'], b: null });
    expect(jsonIn(' [] ')).toEqual([]);
    for (const text of ['{"a":1,"a":2}', '{"id":12345678901234567890}', '{"b":1,"1":2}', '{"a":1', '[1] and more', '"text"', '12'])
      expect([text, jsonIn(text)]).toEqual([text, undefined]);
  });

  it('is large when it takes more room than asked', () => {
    expect(isLarge({ a: 'x'.repeat(50) }, 100)).toBe(false);
    expect(isLarge({ a: ['x'.repeat(60), { b: 'y'.repeat(60) }] }, 100)).toBe(true);
  });
});
