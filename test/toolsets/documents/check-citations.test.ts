import { describe, expect, it } from 'vitest';
import { checkCitations, type CitationReport } from '../../../src/toolsets/documents/check-citations.ts';
import { openTools } from './call-tool.ts';
import { makeFolder } from '../../files/temp-folder.ts';

const files = {
  'guide/a.md': '# Title\n\nSet `strict` to "on" first.\nThen call the tool,\nand wait for it.\n\n- last item\n',
  'my notes/b c.txt': 'plain   spaced text\n',
  'code.mdx': 'x\n\n```ts\nrun({\n  safe: true,\n});\n```\n',
};

async function check(report: string): Promise<CitationReport> {
  const { documents } = openTools({ root: await makeFolder(files) });
  return await checkCitations(await documents.index(), report);
}

describe('check_citations', () => {
  it.each([
    ['a blockquote with a dash below', '> Then call the tool,\n— guide/a.md:4\n'],
    ['a blockquote with the citation as its last line', '> Then call the tool,\n> — guide/a.md:4\n'],
    ['a blockquote with the citation at its end', '> Then call the tool, — guide/a.md:4\n'],
    ['a blank line between', '> Then call the tool,\n\n-- `guide/a.md:4`\n'],
    ['two lines of a range', '> Then call the tool,\n> and wait for it.\n\n— guide/a.md:4-5\n'],
    ['two lines, the first one named', '> Then call the tool,\n> and wait for it.\n— guide/a.md:4\n'],
    ['other line breaks than in the document', '> Then call the tool, and\n> wait for it.\n— [guide/a.md:4]\n'],
    ['Source:', '> last item\n\nSource: guide/a.md:7\n'],
    ['quotation marks and parentheses', 'It says "Then call the tool," (guide/a.md:4).\n'],
    ['quotation marks within', 'It says "Set `strict` to "on" first." (guide/a.md:3).\n'],
    ['curly quotation marks', 'It says “wait for it” (./guide/a.md:5).\n'],
    ['a dash', '- "wait for it" — guide/a.md:5\n'],
    ['a name in backticks', 'Use `strict` (`guide/a.md:3`).\n'],
    ['a quotation over two lines', 'It says "Then\ncall the tool," (guide/a.md:4).\n'],
    ['a file name with spaces', '"plain spaced text" (my notes/b c.txt:1)\n'],
    ['a file name with spaces after ./', '"plain spaced text" (./my notes/b c.txt:1)\n'],
    ['a code block', '```ts\nrun({\n  safe: true,\n});\n```\n— code.mdx:4-6\n'],
    ['a fence within a blockquote', '> ```ts\n> run({\n\n— code.mdx:3-4\n'],
    ['CRLF', '> Then call the tool,\r\n— guide/a.md:4\r\n'],
    ['two on one line', '"Then call" (guide/a.md:4) and "last item" (guide/a.md:7)\n'],
  ])('accepts what stands there: %s', async (_, report) => {
    const result = await check(report);
    expect(result.problems).toEqual([]);
    expect(result.ok).toBe(result.total);
    expect(result).toMatchObject({ unquoted: 0 });
    expect(result.total).toBeGreaterThan(0);
  });

  it.each([
    ['an invented quotation', '> Never call the tool\n— guide/a.md:4\n', 'nor anywhere else'],
    ['the wrong line', '> Then call the tool,\n— guide/a.md:3\n', 'is on line 4'],
    ['a quotation that ends after its range', '> Then call the tool,\n> and wait for it.\n— guide/a.md:4-4\n', 'not on lines 4-4'],
    ['a line that is not there', '"last item" (guide/a.md:8)', 'has only 7 lines'],
    ['line 0', '"Title" (guide/a.md:0)', 'start at 1'],
    ['a range backwards', '"Title" (guide/a.md:3-1)', 'before it begins'],
    ['an unknown file', '"Title" (a.md:1)', 'guide/a.md'],
    ['a path outside', '"root" (../../etc/passwd.txt:1)', 'refused'],
    ['an absolute path', '"root" (/etc/motd.txt:1)', 'refused'],
    ['a name in backticks that is not there', 'Use `lenient` (guide/a.md:3)', 'nor anywhere else'],
    ['a false end of a nested quotation', '"Set `lenient` to "on" last." (guide/a.md:3)', 'nor anywhere else'],
    ['a bare line number that is too large', 'See guide/a.md:99.', 'has only 7 lines'],
    ['the second quotation of a line', '"Then call" (guide/a.md:4) and "first item" (guide/a.md:7)', 'nor anywhere else'],
  ])('finds the problem: %s', async (_, report, reason) => {
    const { problems, ok, total } = await check(report);
    expect(problems.length).toBe(1);
    expect(problems[0]?.reason).toContain(reason);
    expect(ok).toBe(total - 1);
  });

  it('counts citations that quote nothing apart, and web addresses and code not at all', async () => {
    expect(await check('See guide/a.md:3 and (guide/a.md:4-5).')).toEqual({ total: 2, ok: 2, unquoted: 2, problems: [] });
    expect(await check('https://example.org/guide/a.md:3\n\n```\n"x" (guide/a.md:99)\n```\n')).toMatchObject({ total: 0 });
    expect(await check('')).toEqual({ total: 0, ok: 0, unquoted: 0, problems: [] });
  });

  it('does not take an earlier blockquote for a later citation', async () => {
    expect(await check('> Never said\n\nSome prose.\n\n— guide/a.md:4\n')).toMatchObject({ unquoted: 1, problems: [] });
    expect(await check('> Never said\n\n> Then call the tool,\n— guide/a.md:4\n')).toMatchObject({ ok: 1, unquoted: 0 });
  });

  it('gets through a hostile report', async () => {
    const result = await check(`${'"a '.repeat(50_000)}(guide/a.md:1) ${'(guide/a.md:1)'.repeat(3000)} ${'.md:1'.repeat(10_000)}`);
    expect(result.total).toBeGreaterThan(500);
    expect(result.problems.at(-1)?.reason).toContain('not checked');
  });

  it('accepts the passages and hits of the tools as they are', async () => {
    const { call } = openTools({ root: await makeFolder(files) });
    const queries = ['tool strict', 'spaced', 'safe'];
    const found = await Promise.all(queries.map(async (query) => JSON.parse(await call('search_documents', { query })).hits));
    const { passages } = JSON.parse(await call('find_passages', { file: 'guide/a.md', query: 'tool strict item' }));
    const quotes = [...found.flat(), ...passages].map(
      ({ file, line, end_line: end, text }) =>
        `${text
          .split('\n')
          .map((part: string) => `> ${part}`)
          .join('\n')}\n\n— ${file}:${line}${end === line ? '' : `-${end}`}\n`,
    );
    expect(quotes.length).toBeGreaterThan(3);
    expect(JSON.parse(await call('check_citations', { text: quotes.join('\n') }))).toEqual({
      total: quotes.length,
      ok: quotes.length,
      unquoted: 0,
      problems: [],
    });
  });
});
