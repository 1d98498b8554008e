import { describe, expect, it } from 'vitest';
import { errorOf, openTools } from './call-tool.ts';
import { makeFolder } from '../../files/temp-folder.ts';

const page = `---
title: needle in the frontmatter
---

import { needle } from './needle';

# A needle heading

A needle is thin and made of steel, and it has an eye.

- [needle](/docs/needle)
- A list item about a needle that is long enough to quote.

\`\`\`ts
import { needle } from 'pins';
needle();
sew({ thread: 'red' });
\`\`\`

<Note needle>
  Wrapped prose begins here and speaks of a needle
  on its second line as well.
</Note>

Nothing of it here.
`;

async function find(query: string, limit?: number) {
  const { call } = openTools({ root: await makeFolder({ 'page.mdx': page, 'b.md': 'thread and needle\n' }) });
  return JSON.parse(await call('find_passages', { file: 'page.mdx', query, ...(limit === undefined ? {} : { limit }) }));
}

describe('find_passages', () => {
  it('gives prose to quote, never frontmatter, imports, headings or tags', async () => {
    const { file, passages } = await find('needle', 30);
    expect(file).toBe('page.mdx');
    expect(passages.map((passage: { line: number; end_line: number }) => [passage.line, passage.end_line])).toEqual([
      [9, 9],
      [12, 12],
      [21, 22],
      [16, 16],
      [11, 11],
    ]);
    expect(passages[0]).toEqual({
      file: 'page.mdx',
      line: 9,
      end_line: 9,
      heading: 'A needle heading',
      text: 'A needle is thin and made of steel, and it has an eye.',
      matched_terms: ['needle'],
    });
  });

  it('gives a line of code when that is what the words are in', async () => {
    const { passages } = await find('red thread');
    expect(passages[0]).toMatchObject({ line: 17, text: "sew({ thread: 'red' });", matched_terms: ['red', 'thread'] });
  });

  it('keeps to the limit, and says when there is nothing', async () => {
    expect((await find('needle', 2)).passages.length).toBe(2);
    expect(await find('zebra')).toMatchObject({ passages: [], note: expect.stringContaining('No passage') });
  });

  it('splits a long paragraph where sentences end, and cuts a line that is too long', async () => {
    const sentences = Array.from(
      { length: 12 },
      (_, index) => `Sentence number ${index} speaks about things of all kinds, and then it ends.`,
    );
    const root = await makeFolder({
      'long.md': `${sentences.join('\n')}\n\n${'filler words '.repeat(200)}zebra ${'more words '.repeat(200)}\n`,
    });
    const { call } = openTools({ root });
    const parts = JSON.parse(await call('find_passages', { file: 'long.md', query: 'sentence', limit: 30 })).passages;
    for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(400);
    const [cut] = JSON.parse(await call('find_passages', { file: 'long.md', query: 'zebra' })).passages;
    expect(cut).toMatchObject({ line: 14, end_line: 14, cut: true, text: expect.stringContaining('zebra') });
  });

  it('names close documents for one it does not know', async () => {
    const { call } = openTools({ root: await makeFolder({ 'guide/page.md': 'x' }) });
    expect((await errorOf(call('find_passages', { file: 'page.mdx', query: 'x' }))).message).toContain('"guide/page.md"');
  });
});
