import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../../src/toolsets/documents/parse/parse-document.ts';
import { describeLeftOut } from '../../../src/toolsets/documents/left-out.ts';
import { surveyDocuments } from '../../../src/toolsets/documents/survey-documents.ts';
import { makeFolder } from '../../files/temp-folder.ts';
import { errorOf, openTools } from './call-tool.ts';

const repository = join(import.meta.dirname, '../../..');

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly heading: string;
  readonly text: string;
}

/** Copies real files of this repository into a folder of documents. */
async function copyOf(...files: string[]): Promise<string> {
  const folder = await makeFolder();
  for (const file of files) await cp(join(repository, file), join(folder, file), { recursive: true });
  return folder;
}

const headings = (file: string, text: string): readonly string[] =>
  parseDocument(file, text.split('\n')).blocks.flatMap(({ heading, line }) =>
    heading === undefined ? [] : [`${line} ${heading.level} ${heading.text}`],
  );

describe('source code as documents', () => {
  it('F33: is found by its names, under its declaration, and quoted on the lines of the file', async () => {
    const root = await copyOf('src/toolsets/documents', 'package.json', 'knip.json');
    const { call, documents } = openTools({ root });
    const { hits } = JSON.parse(await call('search_documents', { query: 'describeLeftOut' })) as { hits: Hit[] };
    const hit = hits.find(({ heading }) => heading.startsWith('export function describeLeftOut('));
    expect(hit).toMatchObject({ file: 'src/toolsets/documents/left-out.ts' });
    expect(hit?.text).toMatch(/^\/\*\* Describes the unread files.*\nexport function describeLeftOut/s);
    const read = await call('read_document', { file: hit?.file ?? '', from_line: hit?.line ?? 0, to_line: hit?.end_line ?? 0 });
    const lines = read
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^\d+: /, ''));
    expect(lines.join('\n')).toBe(hit?.text);
    const report = `\`\`\`ts\n${hit?.text}\n\`\`\`\n— ${hit?.file}:${hit?.line}-${hit?.end_line}\n\n"missing" (src/no.ts:3)\n`;
    const checked = JSON.parse(await call('check_citations', { text: report }));
    expect(checked).toMatchObject({ total: 2, ok: 1, problems: [{ citation: 'src/no.ts:3' }] });
    const scripts = JSON.parse(await call('search_documents', { query: 'scripts test vitest', files: ['package.json'] }));
    expect(scripts.hits[0]).toMatchObject({ file: 'package.json', heading: 'scripts' });
    expect((await documents.stats()).skipped).toEqual([]);
  });

  it.each([
    [
      'a.py',
      '# not a heading\nimport os\n\nclass A:\n    def b(self):\n        return 1\n\nX = 2\n',
      ['4 1 class A', '5 2 def b(self)', '8 1 '],
    ],
    ['a.sh', '#!/bin/sh\n# Install\nrun() {\n  echo "# no"\n}\n', ['3 1 run()']],
    ['script', '#!/bin/sh\n# Install\necho 1\n', []],
    ['Makefile', '# Build\nall: build\n', []],
    ['a.go', 'package a\n\n// F does.\nfunc (s *S) F(a int) error {\n}\n', ['4 1 func (s *S) F(a int) error']],
    ['a.c', '#include <a.h>\n\nstatic int\nmain(int argc)\n{\n  if (a) b();\n}\n', ['4 1 main(int argc)']],
    ['a.sql', 'CREATE TABLE IF NOT EXISTS users (\n  id INT\n);\n', ['1 1 CREATE TABLE IF NOT EXISTS users']],
    [
      'a.rs',
      'pub(crate) fn go<T>(x: T) -> T {\n}\nimpl Foo for Bar {\n    fn baz(&self) {}\n}\n',
      ['1 1 pub(crate) fn go<T>(x: T) -> T', '3 1 impl Foo for Bar', '4 2 fn baz(&self) {}'],
    ],
    ['a.json', '{\n  "# a": 1,\n  "b": {\n    "c": 1\n  },\n  "d": 2\n}\n', ['3 1 b', '6 1 ']],
    ['a.yaml', '# top\nname: x\njobs:\n  test:\n    run: 1\nend: y\n', ['3 1 jobs', '6 1 ']],
    ['a.toml', 'a = 1\n[tool.ruff]\nb = 2\n', ['2 1 tool.ruff']],
    ['a.adoc', '= Guide\n\ntext\n\n== Use\n\n# no\n', ['1 1 Guide', '5 2 Use']],
    ['a.tex', '\\section{Aim}\nText\n\\subsection*{How}\n', ['1 2 How'.replace('1 2 How', '1 3 Aim'), '3 4 How']],
    ['a.org', '* One\n** Two\ntext\n', ['1 1 One', '2 2 Two']],
  ])('%s has sections by declarations, none by comments', (file, text, expected) => {
    expect(headings(file, text)).toEqual(expected);
  });

  it('is parsed in linear time, each line with text in a block, whatever it is', () => {
    const piece = fc.constantFrom(
      'def a():',
      '  # c',
      'x = 1',
      '',
      '}',
      '/* *',
      '@d',
      '"k": {',
      '  "k": [',
      'k:',
      '[s]',
      '\t',
      'const a = () =>',
      'f(',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('a.py', 'a.json', 'a.yml', 'a.ini'), (lines, file) => {
        const covered = new Set<number>();
        for (const { kind, line, endLine } of parseDocument(file, lines).blocks)
          if (kind !== 'heading') for (let at = line; at <= endLine; at += 1) expect(covered.size).toBe(covered.add(at).size - 1);
        const withText = lines.flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));
        expect([...covered]).toEqual(withText);
      }),
    );
    for (const line of ['# c', 'def a():', '@d', 'f(', '/*', '"', 'a '.repeat(150), 'const a = '.repeat(30), 'public '.repeat(50)])
      parseDocument(
        'a.py',
        Array.from({ length: 60_000 }, () => line),
      );
    parseDocument('a.c', ['('.repeat(2_000_000)]);
  });
});

describe('files that people did not write, and secrets', () => {
  const files = {
    'main.js': 'export const answer = 42;\n',
    'records.jsonl': `{"a":"${'needle '.repeat(3_000)}"}\n`,
    'package-lock.json': '{"hidden-value": 1}',
    'yarn.lock': 'hidden-value',
    'app.min.js': 'hidden-value()',
    'app.js.map': '{"hidden-value":1}',
    'bundle.js': `hidden_value();${'a();'.repeat(5_000)}`,
    'client_secret_1.json': '{"hidden-value": 1}',
    'secrets.yaml': 'hidden-value: 1',
    'config/credentials.toml': 'hidden-value',
    'secrets.ts': 'export const kinds = 1;\n',
    'photo.png': new Uint8Array([1]),
  };

  it('F33: are counted by kind and not read', async () => {
    const root = await makeFolder(files);
    const { call, documents } = openTools({ root });
    const said = '5 generated files, 3 files with secrets, 1 .png';
    expect(describeLeftOut(await surveyDocuments(root))).toBe(said);
    expect(JSON.parse(await call('list_documents', {})).note).toBe(`Not read: ${said}.`);
    expect((await documents.stats()).files).toBe(3);
    expect(JSON.parse(await call('search_documents', { query: 'hidden-value hidden_value' }))).toMatchObject({ hits: [] });
    expect((await errorOf(call('read_document', { file: 'bundle.js' }))).message).toContain('it is minified (');
    expect((await errorOf(call('read_document', { file: 'yarn.lock' }))).message).toContain('(generated files) are not read');
  });
});
