import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';
import { defaultDocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { searchDocuments, type SearchAnswer } from '../../../src/toolsets/documents/search-documents.ts';
import { errorOf, openTools } from './call-tool.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';

const guide = {
  'tools.md':
    '---\ntitle: Tools\n---\n\n# Tools\n\nTools are functions.\n\n## Approval\n\nA tool can require approval before it runs.\nSet the flag.\n',
  'cache.mdx':
    "import { Note } from './note'\n\n# Caching\n\nCached responses save money.\n\n```ts\nconst cached = generateText();\n```\n",
  'deep/run.txt': 'Running a job needs a queue.\n',
  'deutsch.md': '# Größe\n\nAntworten werden zwischengespeichert, damit sie schneller kommen.\n',
  '中文.md': '# 缓存\n\n您可以缓存模型的响应，以便更快地返回。\n',
};

async function search(
  root: string,
  query: string,
  more: { limit?: number; mode?: 'any' | 'all'; files?: readonly string[] } = {},
): Promise<SearchAnswer> {
  const index = await DocumentIndex.build(root, defaultDocumentLimits);
  try {
    return await searchDocuments(index, { query, limit: 8, mode: 'any', ...more });
  } finally {
    await index.close();
  }
}

function places({ hits }: SearchAnswer): readonly string[] {
  return hits.map(({ file, line, end_line }) => `${file}:${line}-${end_line}`);
}

describe('search_documents', () => {
  it('answers a question with the lines a person would look for, under their heading', async () => {
    const answer = await search(await makeFolder(guide), 'How do I require approval before a tool runs?');
    expect(answer.terms).toEqual(['require', 'approval', 'tool', 'runs']);
    expect(answer.hits[0]).toMatchObject({
      file: 'tools.md',
      line: 11,
      end_line: 12,
      heading: 'Tools > Approval',
      matched_terms: ['require', 'approval', 'tool', 'runs'],
      text: 'A tool can require approval before it runs.\nSet the flag.',
    });
    expect(answer.total_files).toBe(5);
  });

  it.each([
    ['caches', 'cache.mdx:5-9'],
    ['generate text', 'cache.mdx:5-9'],
    ['generateText', 'cache.mdx:5-9'],
    ['grosse groesse größe', 'deutsch.md:3-3'],
    ['Zwischengespeichert', 'deutsch.md:3-3'],
    ['如何缓存响应？', '中文.md:3-3'],
    ['queu', 'deep/run.txt:1-1'],
    ['responses\u0000cached', 'cache.mdx:5-9'],
  ])('finds by word stem, name, language or beginning of a word: %s', async (query, place) => {
    expect(places(await search(await makeFolder(guide), query))[0]).toBe(place);
  });

  it('puts hits with all words before hits with some, and drops the latter on request', async () => {
    const root = await makeFolder({
      'some.md': '# Zebra zebra\n\nzebra zebra zebra\n',
      'all.md': `one zebra beside a yak in a long text ${'that goes on '.repeat(30)}\n`,
      'other.md': 'a yak\n',
    });
    const any = await search(root, 'zebra yak');
    expect(any.hits[0]?.file).toBe('all.md');
    expect(any.hits.length).toBe(3);
    expect(places(await search(root, 'zebra yak', { mode: 'all' }))).toEqual(['all.md:1-1']);
    expect((await search(root, 'zebra gnu', { mode: 'all' })).hits).toEqual([]);
  });

  it('says plainly when nothing is found, and which words no document has', async () => {
    const root = await makeFolder(guide);
    const nothing = await search(root, 'xyzzy plugh');
    expect(nothing).toMatchObject({ hits: [], missing_terms: ['xyzzy', 'plugh'] });
    expect(nothing.note).toContain('Nothing was found');
    const part = await search(root, 'kubernetes approval');
    expect(part.missing_terms).toEqual(['kubernetes']);
    expect(part.note).toContain('Not in any of the documents: kubernetes.');
    const off = await search(root, 'kubernetes helm istio terraform job');
    expect(off.hits).toEqual([]);
  });

  it('keeps stop words when a query has nothing else', async () => {
    const answer = await search(await makeFolder(guide), 'is it a');
    expect(answer.terms).toEqual(['is', 'it', 'a']);
    expect((await search(await makeFolder(guide), '?! -- "" ()')).note).toContain('no word');
  });

  it('searches in given documents and folders only', async () => {
    const root = await makeFolder(guide);
    expect(places(await search(root, 'running', { files: ['deep'] }))).toEqual(['deep/run.txt:1-1']);
    expect(places(await search(root, 'running', { files: ['deep/run.txt'] }))).toEqual(['deep/run.txt:1-1']);
    expect(places(await search(root, 'running', { files: ['cache.mdx', 'deutsch.md'] }))).toEqual([]);
    const error = await errorOf(search(root, 'running', { files: ['run.txt'] }));
    expect(error.message).toContain('"deep/run.txt"');
  });

  it.each([
    '"unclosed',
    '""""',
    'NEAR(tool approval, 2)',
    'tool AND OR NOT',
    'tool*',
    '* OR 1',
    'title:tool',
    '{heading prose} : tool',
    '^tool',
    '-tool +approval',
    'tool"; DROP TABLE chunk; --',
    "tool' OR '1'='1",
    '(((((((((',
    'tool\\',
    '\u0000\u0001tool',
    '😀 tool 😀',
    '\ud800tool',
    '$1 ?1 :a @b tool',
    'a'.repeat(5000),
  ])('takes a hostile query as words: %j', async (query) => {
    const root = await makeFolder(guide);
    const answer = await search(root, query);
    expect(JSON.stringify(answer)).toBeTypeOf('string');
    for (const term of answer.terms) expect(term).toMatch(/^[\p{L}\p{N}\p{M}']{1,60}$/u);
  });

  it('reads only the beginning of a query of 100 KB, and says so', async () => {
    const answer = await search(await makeFolder(guide), `approval ${'word"* '.repeat(15_000)}`);
    expect(answer.hits[0]?.file).toBe('tools.md');
    expect(answer.note).toContain('too long');
    expect(answer.query.length).toBeLessThan(400);
    const many = await search(await makeFolder(guide), Array.from({ length: 300 }, (_, index) => `w${index}`).join(' '));
    expect(many.terms.length).toBe(24);
  });

  it('never fails on any query', async () => {
    const index = await DocumentIndex.build(await makeFolder(guide), defaultDocumentLimits);
    try {
      const query = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc
          .array(fc.constantFrom('tool', '"', '*', 'NEAR', '(', ')', ':', '^', '-', 'AND', "'", '\0'))
          .map((parts) => parts.join(' ')),
      );
      await fc.assert(
        fc.asyncProperty(query, fc.constantFrom('any' as const, 'all' as const), async (text, mode) => {
          const answer = await searchDocuments(index, { query: text, limit: 3, mode });
          expect(answer.hits.length).toBeLessThanOrEqual(3);
        }),
      );
    } finally {
      await index.close();
    }
  });

  it('shows a piece around the word when a single line is too long', async () => {
    const root = await makeFolder({ 'huge.txt': `${'lorem ipsum '.repeat(50_000)}needle ${'dolor sit '.repeat(50_000)}` });
    const [hit] = (await search(root, 'needle')).hits;
    expect(hit).toMatchObject({ line: 1, end_line: 1, cut: true });
    expect(hit?.text).toContain('needle');
    expect(hit?.text.length).toBeLessThanOrEqual(700);
    expect(await readFile(join(root, 'huge.txt'), 'utf8')).toContain(hit?.text ?? 'nothing');
  });

  it('finds what a document says now, on the lines where it stands now, after it changed or went away', async () => {
    const root = await makeFolder({ 'a.md': 'the old walrus\n', 'b.md': 'a walrus too\n' });
    const { call } = openTools({ root });
    const find = async (query: string): Promise<readonly string[]> => places(JSON.parse(await call('search_documents', { query })));
    expect(await find('walrus')).toEqual(['b.md:1-1', 'a.md:1-1'].toSorted());
    await putFile(root, 'a.md', '# New\n\nlines before\n\nthe new walrus\n');
    expect(await find('new walrus')).toContain('a.md:3-5');
    await rm(join(root, 'b.md'));
    expect(await find('walrus')).toEqual(['a.md:3-5']);
    expect((await errorOf(call('read_document', { file: 'b.md' }))).message).toContain('b.md');
    await putFile(root, 'b.md', 'a walrus again\n');
    expect(await call('read_document', { file: 'b.md' })).toContain('1: a walrus again');
    expect((await find('walrus')).toSorted()).toEqual(['a.md:3-5', 'b.md:1-1']);
  });

  it('answers many searches at once', async () => {
    const { call } = openTools({ root: await makeFolder(guide) });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => await call('search_documents', { query: 'approval' })),
    );
    expect(new Set(answers).size).toBe(1);
  });
});

describe('line exactness', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '# One',
      '## Two',
      '### Three ###',
      '```ts',
      '```',
      '~~~',
      '---',
      '- item needle',
      '1. item',
      '| a | needle |',
      '|---|---|',
    ),
    fc.constantFrom(
      '<Note>',
      '</Note>',
      '<Props',
      '/>',
      '<!-- open',
      'needle -->',
      'import x from "y"',
      '> quote needle',
      '    indented needle',
      'Title',
      '=====',
    ),
    fc.constantFrom(
      '.. code-block:: py',
      'see::',
      '   code',
      'needle text goes here.',
      'ein längerer Satz mit needle darin 缓存.',
      `needle ${'long '.repeat(200)}`,
    ),
  );

  it('gives, for every hit and passage, exactly what stands on its lines', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.constantFrom('a.md', 'a.mdx', 'a.txt', 'a.rst'),
        async (lines, lineBreak, trailing, file) => {
          const root = await makeFolder({ [file]: lines.join(lineBreak) + (trailing ? lineBreak : '') });
          const { call, documents } = openTools({ root });
          const { hits } = JSON.parse(await call('search_documents', { query: 'needle', limit: 30 }));
          const { passages } = JSON.parse(await call('find_passages', { file, query: 'needle 缓存', limit: 30 }));
          for (const hit of [...hits, ...passages]) {
            const there = lines.slice(hit.line - 1, hit.end_line).join('\n');
            if (hit.cut === true) expect(there).toContain(hit.text);
            else expect(hit.text).toBe(there);
          }
          documents[Symbol.dispose]();
        },
      ),
      { numRuns: 150 },
    );
  });
});
