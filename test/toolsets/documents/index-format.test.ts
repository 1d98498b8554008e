import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { indexFormat } from '../../../src/toolsets/documents/search/opened-index.ts';
import { defaultDocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';

/** Something of each format, with what its parser has rules for. */
const files: Readonly<Record<string, string>> = {
  'guide/page.mdx':
    '---\ntitle: A page\ndescription: "What it is"\n---\nimport X from "y"\n\n# Heading\n\nText with `generateText` and a\nsecond line.\n\n- item one\n- item two\n\n<Note>\nIn a tag.\n</Note>\n\n```ts\nconst callModel = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTitle under\n===========\n\n### Empty\n',
  'long.md': `# Long\n\n${'A sentence about tomatoes and water. '.repeat(60)}\n\n${'short line\n'.repeat(200)}`,
  'page.rst': 'Title\n=====\n\nText of it.\n\n.. note:: A note\n\n   inside\n\nSub\n---\n\nMore.\n',
  'page.adoc': '= Outline\n\ntext\n\n== Sub\n\nmore\n',
  'notes.org': '* Outline\ntext\n** Sub\nmore\n',
  'paper.tex': '\\section{One}\ntext\n\\subsection{Two}\nmore\n',
  'page.html': '<html><title>T</title><style>x</style><h1>Head</h1><p hidden>no</p><p>Text &amp; more<ul><li>one<li>two</ul>',
  'code.ts':
    '/** Says it. */\nexport function sayIt(a: number): string {\n  // why\n  return `${a}`;\n}\n\nexport class Holder {\n  method(): void {}\n}\n',
  'code.py': '"""Module."""\n\n@decorated\ndef snake_case_name(x):\n    # comment\n    return x\n\n\nclass HTTPServer:\n    pass\n',
  'code.sql': '-- all\nCREATE TABLE t (a int);\n\nselect 1;\n',
  script: '#!/bin/sh\n# comment\nrun() {\n  true\n}\n',
  'data.json': '{\n  "first": {\n    "a": 1\n  },\n  "second": [1, 2]\n}\n',
  'data.yaml': 'first:\n  a: 1\nsecond: |\n  text\n',
  'data.toml': '[first]\na = 1\n\n[[second]]\nb = 2\n',
  'table.csv': 'name,"the, fruit"\nAlpha,"apples\nand pears"\n\nbeta,3\n',
  'table.tsv': 'a\tb\n1\t2\n',
  'plain.txt': 'Ünïcode, 日本語のテスト and naïve café’s words.\n',
  'empty.md': '',
};

/** The index of those files, and the format it has. Both change together: see `indexFormat`. */
const golden = path.join(import.meta.dirname, '..', '..', 'golden', 'document-index.json');

it('has the format that its version says: other parsing, chunking or indexing needs another version', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-format-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, 'docs', file)), { recursive: true });
    await writeFile(path.join(folder, 'docs', file), text);
  }
  const cacheDir = path.join(folder, 'cache');
  const index = await DocumentIndex.build(path.join(folder, 'docs'), defaultDocumentLimits, { cacheDir });
  await index.whenKept();
  const found = { format: indexFormat, hash: hashOf(path.join(cacheDir, (await readdir(cacheDir))[0] ?? '')) };
  await index.close();
  const known = JSON.parse(await readFile(golden, 'utf8')) as typeof found;
  // Kept indexes of users hold what the older code made: raise `indexFormat` in src/toolsets/documents/search/opened-index.ts, then write
  // the new pair into test/golden/document-index.json.
  expect(found).toEqual(known);
});

/** Returns a hash of what an index holds, apart from the files' times. */
function hashOf(file: string): string {
  const database = new DatabaseSync(file);
  database.exec('CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, chunk, instance)');
  const hash = createHash('sha256');
  for (const query of [
    'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
    'SELECT file, title, lines, bytes, first_row, row_count FROM document ORDER BY file',
    'SELECT row, line, end_line, heading FROM place ORDER BY row',
    'SELECT term, doc, col, offset FROM word ORDER BY term, doc, col, offset',
    'SELECT file, reason FROM unread ORDER BY file',
  ])
    hash.update(JSON.stringify(database.prepare(query).all()));
  database.close();
  return hash.digest('hex');
}
