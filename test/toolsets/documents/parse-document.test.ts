import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkDocument } from '../../../src/toolsets/documents/search/document-chunks.ts';
import { parseDocument } from '../../../src/toolsets/documents/parse/parse-document.ts';
import { splitLines } from '../../../src/files/text-lines.ts';

/** The blocks of a text as `kind line-endLine`. */
function outline(file: string, text: string): readonly string[] {
  return parseDocument(file, splitLines(text)).blocks.map(({ kind, line, endLine }) => `${kind} ${line}-${endLine}`);
}

/** The headings of a text as `level text`. */
function headings(file: string, text: string): readonly string[] {
  const { blocks } = parseDocument(file, splitLines(text));
  return blocks.flatMap(({ heading }) => (heading === undefined ? [] : [`${heading.level} ${heading.text}`]));
}

describe('splitLines', () => {
  it.each([
    ['', []],
    ['\n', ['']],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a\n\nb', ['a', '', 'b']],
    ['a\rb', ['a\rb']],
  ])('counts %j as editors do', (text, lines) => {
    expect(splitLines(text)).toEqual(lines);
  });
});

describe('parseDocument', () => {
  it('keeps line numbers true past frontmatter and imports', () => {
    const text =
      "---\ntitle: 'A page'\ndescription: What it is\n---\n\nimport { X } from 'x';\nexport const y = 1;\n\n# Heading\n\ntext\n";
    expect(parseDocument('a.mdx', splitLines(text))).toMatchObject({ title: 'A page', description: 'What it is' });
    expect(outline('a.mdx', text)).toEqual(['meta 1-4', 'meta 6-7', 'heading 9-9', 'prose 11-11']);
  });

  it('takes an unclosed frontmatter, and import in plain Markdown, as text', () => {
    expect(outline('a.md', '---\ntitle: x\ntext\n')).toEqual(['markup 1-1', 'prose 2-3']);
    expect(outline('a.md', "import { x } from 'y'\n")).toEqual(['prose 1-1']);
    expect(outline('a.mdx', 'import your data first.\n\nexport it later.\n')).toEqual(['prose 1-1', 'prose 3-3']);
  });

  it('reads fences of any length, in lists too, and an unclosed one to the end', () => {
    expect(outline('a.md', '````md\n```\n# not a heading\n```\n````\nafter\n')).toEqual(['code 1-5', 'prose 6-6']);
    expect(outline('a.md', '- ```ts\n  x\n  ```\n- item\n')).toEqual(['code 1-3', 'prose 4-4']);
    expect(outline('a.md', 'text\n~~~\n# x\n')).toEqual(['prose 1-1', 'code 2-3']);
    expect(outline('a.md', '```inline``` code\n')).toEqual(['prose 1-1']);
  });

  it('separates list items, table rows, quotes, tags and comments', () => {
    const text =
      '- one\n  goes on\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<Note type="x">\ninside\n</Note>\n<Props\n  a={[1 > 2]}\n/>\n<!-- no\nprose -->\n<p>words</p>\n';
    expect(outline('a.mdx', text)).toEqual([
      'prose 1-2',
      'prose 3-3',
      'prose 5-5',
      'markup 6-6',
      'prose 7-7',
      'markup 9-9',
      'prose 10-10',
      'markup 11-11',
      'markup 12-14',
      'meta 15-16',
      'prose 17-17',
    ]);
  });

  it('knows headings of every form', () => {
    expect(headings('a.md', '# One #\n\nTwo\n===\n\nThree\n---\n\n###### Six `code` <b>x</b>\n\n#hashtag\n')).toEqual([
      '1 One',
      '1 Two',
      '2 Three',
      '6 Six `code` x',
    ]);
    expect(headings('a.rst', '=====\nTop\n=====\n\nPart\n----\n\nSub\n~~~~\n\nPart two\n--------\n')).toEqual([
      '1 Top',
      '2 Part',
      '3 Sub',
      '2 Part two',
    ]);
  });

  it('reads reStructuredText code, directives and comments', () => {
    const text =
      'Call it::\n\n    code()\n\n.. code-block:: py\n   :linenos:\n\n   x = 1\n\n.. note:: careful\n   really\n\n.. a comment\n';
    expect(outline('a.rst', text)).toEqual(['prose 1-1', 'code 3-3', 'code 5-8', 'markup 10-10', 'prose 11-11', 'meta 13-13']);
  });

  it('takes unclosed tags and comments as text, in linear time', () => {
    const hostile = ['<a', '<!-- x', '{/* x', '  <b', '<c'].join('\n').concat('\n');
    expect(parseDocument('a.mdx', splitLines(hostile.repeat(20_000))).blocks.length).toBeGreaterThan(0);
    expect(outline('a.md', `| ${'-'.repeat(500_000)}x`)).toEqual(['prose 1-1']);
    expect(outline('a.md', '<'.repeat(500_000))).toEqual(['prose 1-1']);
    expect(outline('a.md', `${' '.repeat(500_000)}x\n${'#'.repeat(500_000)}\n${'`'.repeat(500_000)}`).length).toBeGreaterThan(0);
  });

  it('covers every line that is not blank exactly once, and cuts chunks at lines, of at most 700 characters', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 900 }),
      fc.constantFrom('', '```', '# a', '---', '<A', '/>', '- x', '| x |', '::', '.. x::', '  y', '<!--', '===='),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('a.md', 'a.mdx', 'a.txt', 'a.rst'), (raw, file) => {
        const lines = splitLines(raw.join('\n'));
        const parsed = parseDocument(file, lines);
        let last = 0;
        for (const block of parsed.blocks) {
          expect(block.line).toBeGreaterThan(last);
          expect(lines.slice(last, block.line - 1).every((skipped) => skipped.trim() === '')).toBe(true);
          expect(block.endLine).toBeGreaterThanOrEqual(block.line);
          last = block.endLine;
        }
        expect(last).toBeLessThanOrEqual(lines.length);
        for (const chunk of chunkDocument(parsed, lines)) {
          const length = lines.slice(chunk.line - 1, chunk.endLine).join('\n').length;
          expect(length <= 700 || chunk.line === chunk.endLine).toBe(true);
        }
      }),
    );
  });

  it('puts nested headings on the path of a chunk, and finds a heading that stands alone', () => {
    const lines = splitLines('# A\n## B\n### C\ntext c\n## D\ntext d\n# Alone\n# E\ntext e\n');
    const chunks = [...chunkDocument(parseDocument('a.md', lines), lines)];
    expect(chunks.map(({ line, heading }) => `${line} ${heading}`)).toEqual(['4 A > B > C', '6 A > D', '7 Alone', '9 E']);
  });
});
