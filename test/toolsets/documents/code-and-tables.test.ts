import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseDocument } from '../../../src/toolsets/documents/parse/parse-document.ts';
import { kindOfName } from '../../../src/toolsets/documents/parse/document-kinds.ts';
import { splitLines } from '../../../src/toolsets/files/text-lines.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { openTools } from './call-tool.ts';

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly heading: string;
}

async function hitsOf(root: string, query: string): Promise<readonly Hit[]> {
  return (JSON.parse(await openTools({ root }).call('search_documents', { query })) as { readonly hits: readonly Hit[] }).hits;
}

describe('source code and data among the documents', () => {
  it('is found by its words, with the declaration above as heading, and shown on the lines of the file', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'cadre-code-'));
    onTestFinished(async () => await rm(root, { recursive: true, force: true }));
    await cp(path.join(import.meta.dirname, '../../../src/testing/evals/score'), path.join(root, 'score'), { recursive: true });
    const [hit] = await hitsOf(root, 'Fisher exact test probability chance');
    expect(hit).toMatchObject({ file: 'score/statistics.ts' });
    const [named] = await hitsOf(root, 'signFlipWorse');
    expect(named?.file).toMatch(/statistics|baseline/);
    const { call } = openTools({ root });
    expect(await call('read_document', { file: 'score/statistics.ts', from_line: 1, to_line: 2 })).toContain(
      '1: /** Bounds of a share',
    );
  });

  it('has no headings of Markdown: a comment of a script is a comment', async () => {
    const root = await makeFolder({
      'tool.py': '# Watering\n\ndef water(plant):\n    return plant\n',
      'settings.toml': '# Times\n[watering]\nmorning = true\n',
    });
    expect((await hitsOf(root, 'return plant')).map(({ file, heading }) => [file, heading])).toEqual([
      ['tool.py', 'def water(plant):'],
    ]);
    expect((await hitsOf(root, 'morning')).map(({ heading }) => heading)).toEqual(['[watering]']);
    const { call } = openTools({ root });
    const report = 'It is so: "morning = true" (settings.toml:3), and "evening = true" (settings.toml:3).';
    const checked = JSON.parse(await call('check_citations', { text: report }));
    expect(JSON.stringify(checked)).toMatch(/evening/);
  });

  it('leaves out what programs wrote, and says so', async () => {
    const root = await makeFolder({
      'guide.md': 'Plants like water.',
      'package-lock.json': '{"plants": 1}',
      'app.min.js': 'plants()',
      'app.js.map': '{}',
      'data.json': `{"plants":"${'x'.repeat(30_000)}"}`,
      '.env': 'PLANTS=1',
    });
    expect((await hitsOf(root, 'plants')).map(({ file }) => file)).toEqual(['guide.md']);
    const listed = await openTools({ root }).call('list_documents', {});
    expect(listed).toContain('4 generated files');
    expect(kindOfName('yarn.lock')).toEqual({ leftOut: 'generated files' });
    expect(kindOfName('archive.tar.gz')).toEqual({ leftOut: '.gz' });
  });
});

describe('tables among the documents', () => {
  it('show the names of the columns with every row, also when a field has line breaks', async () => {
    const root = await makeFolder({
      'plants.csv': 'name,water,note\r\ntomato,daily,"likes sun,\nand ""warm"" feet"\r\nfern,weekly,shade\r\n',
      'empty.tsv': '',
    });
    const [fern] = await hitsOf(root, 'shade');
    expect(fern).toMatchObject({ file: 'plants.csv', heading: 'name,water,note' });
    const [tomato] = await hitsOf(root, 'warm feet');
    expect(tomato).toMatchObject({ file: 'plants.csv', line: 2, heading: 'name,water,note' });
  });

  it('have every line in one block, whatever their quotation marks', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a",; ]{0,12}$/), { maxLength: 20 }), (written) => {
        const lines = splitLines(written.join('\n'));
        const { blocks } = parseDocument('x.csv', lines);
        const covered = blocks.flatMap(({ line, endLine }) =>
          Array.from({ length: endLine - line + 1 }, (_, index) => line + index),
        );
        expect(new Set(covered).size).toBe(covered.length);
        const wanted = lines.flatMap((text, index) => (text.trim() === '' ? [] : [index + 1]));
        expect(covered).toEqual(expect.arrayContaining(wanted));
      }),
    );
  });
});
