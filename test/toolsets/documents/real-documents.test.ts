import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCitations } from '../../../src/toolsets/documents/check-citations.ts';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';
import { defaultDocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { findPassages } from '../../../src/toolsets/documents/search/find-passages.ts';
import { searchDocuments } from '../../../src/toolsets/documents/search-documents.ts';

// The default folder of the main job: some 300 MDX pages, in the version the lock file pins.
const root = 'node_modules/ai/docs';

/** Questions as a person would ask them, and pages of which one must be among the first three hits. */
const questions: readonly (readonly [string, RegExp])[] = [
  ['How do I require approval before a tool runs?', /tool-approvals/],
  ['How can I cache responses?', /caching|middleware/],
  ['streaming object generation', /object-generation|generating-structured-data/],
  ['embeddings', /30-embeddings/],
  ['How do I limit the number of steps of an agent?', /loop-control|workflow-agent/],
  ['How do I handle errors when streaming?', /50-error-handling/],
  ['How do I test without calling a real model?', /55-testing/],
  ['resume a chat stream after page reload', /resume-streams/],
  ['rate limiting', /rate-limiting/],
  ['zod schema for structured output', /structured-data|content-filter|28-output/],
  ['What is NoObjectGeneratedError?', /no-object-generated/],
  ['upload an image', /file-uploads/],
  ['useChat hook', /use-chat/],
  ['How do I deploy to Vercel?', /vercel-deployment-guide/],
  ['abort signal timeout', /25-settings/],
  ['memory for long conversations', /06-memory/],
];

describe('on real documentation', () => {
  let index: DocumentIndex;
  beforeAll(async () => {
    index = await DocumentIndex.build(root, defaultDocumentLimits);
  });
  afterAll(() => index.close());

  it('indexes all of it', () => {
    const { files, sections, skipped } = index.stats();
    expect(skipped).toEqual([]);
    expect(files).toBeGreaterThan(250);
    expect(sections).toBeGreaterThan(3000);
  });

  it.each(questions)('answers: %s', async (query, page) => {
    const { hits } = await searchDocuments(index, { query, limit: 8, mode: 'any' });
    expect(
      hits
        .slice(0, 3)
        .map(({ file }) => file)
        .join(' '),
    ).toMatch(page);
  });

  it.each([
    'xyzzy plugh frobnicate',
    '如何缓存响应',
    'Wie kann ich Antworten zwischenspeichern?',
    'Who won the 1998 FIFA world cup final?',
    'kubernetes operator helm chart',
  ])('finds nothing, and says so: %s', async (query) => {
    const { hits, note } = await searchDocuments(index, { query, limit: 8, mode: 'any' });
    expect(hits).toEqual([]);
    expect(note).toContain('Nothing was found');
  });

  it('gives hits and passages that hold as citations', async () => {
    const quotes: string[] = [];
    for (const [query] of questions) {
      const { hits } = await searchDocuments(index, { query, limit: 8, mode: 'any' });
      const { passages } = await findPassages(index, { file: hits[0]?.file ?? '', query, limit: 5 });
      expect(passages.length).toBeGreaterThan(0);
      for (const { file, line, end_line: end, text } of passages) {
        quotes.push(
          `${text
            .split('\n')
            .map((part) => `> ${part}`)
            .join('\n')}\n\n— ${file}:${line}${end === line ? '' : `-${end}`}\n`,
        );
      }
    }
    expect(await checkCitations(index, quotes.join('\n'))).toEqual({
      total: quotes.length,
      ok: quotes.length,
      unquoted: 0,
      problems: [],
    });
  });
});
