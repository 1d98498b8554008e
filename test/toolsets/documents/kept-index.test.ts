import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultDocumentLimits, type DocumentLimits } from '../../../src/toolsets/documents/document-limits.ts';
import { searchDocuments } from '../../../src/toolsets/documents/search-documents.ts';
import { DocumentIndex } from '../../../src/toolsets/documents/search/document-index.ts';
import { openTools } from './call-tool.ts';

/** So much later than now that no file of a test changed just before. */
const later = (): number => Date.now() + 10_000;

async function makePlaces(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = path.join(folder, 'docs');
  await mkdir(root);
  for (const [file, text] of Object.entries(files)) await write(root, file, text);
  return { folder, root, cacheDir: path.join(folder, 'cache') };
}

async function write(root: string, file: string, text: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

/** Opens an index, and has it kept. */
async function open(root: string, cacheDir?: string, limits: Partial<DocumentLimits> = {}): Promise<DocumentIndex> {
  const index = await DocumentIndex.build(root, { ...defaultDocumentLimits, ...limits }, { cacheDir, now: later });
  onTestFinished(() => index.close());
  await index.whenKept();
  return index;
}

const queries = ['tomatoes water', 'apples', 'Alpha beta gamma', 'needle', 'pears in the garden'];

/** Everything that is seen of an index; hits of the same score in the order of their places. */
async function seenOf(index: DocumentIndex): Promise<unknown> {
  const answers = [];
  for (const query of queries) {
    const { hits, ...answer } = await searchDocuments(index, { query, limit: 30, mode: 'any' });
    const ordered = hits.toSorted((a, b) => b.score - a.score || a.file.localeCompare(b.file) || a.line - b.line);
    answers.push({ ...answer, hits: ordered });
  }
  const documents = index
    .documents()
    .map(({ file, title, lineCount, bytes, rowCount }) => ({ file, title, lineCount, bytes, rowCount }));
  return { answers, documents, stats: index.stats() };
}

async function keptFiles(cacheDir: string): Promise<readonly string[]> {
  return (await readdir(cacheDir)).toSorted();
}

const garden = {
  'a.md': '# Alpha\n\nWater the tomatoes.\n\n## Beta\n\nApples and pears.\n',
  'b/c.ts': '/** Gamma of the garden. */\nexport function needle(): void {}\n',
  'b/d.csv': 'name,fruit\nAlpha,apples\nbeta,pears\n',
  'b/binary': new Uint8Array([1, 0, 2, 0]),
  'big.md': 'x'.repeat(3_000_000),
  'e.html': '<title>Gamma</title><p>Pears in the garden</p>',
  'photo.png': 'png',
};

describe('a kept index', () => {
  it('is used by the next process, which reads no unchanged file', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    const first = await open(root, cacheDir);
    expect(first.filesRead).toBe(6);
    const second = await open(root, cacheDir);
    expect(second.filesRead).toBe(0);
    expect(await seenOf(second)).toEqual(await seenOf(first));
    expect(await keptFiles(cacheDir)).toEqual([expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{64}\.db$/)]);
  });

  it('is private: only its user can read the folder and the file, and it holds no text', async () => {
    const { root, cacheDir } = await makePlaces({ 'a.md': '# Title\n\nA sentence that nobody keeps.\n' });
    await open(root, cacheDir);
    const [file = ''] = await keptFiles(cacheDir);
    expect((await stat(cacheDir)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(cacheDir, file))).mode & 0o777).toBe(0o600);
    expect((await readFile(path.join(cacheDir, file))).includes('A sentence that')).toBe(false);
  });

  it('reads files that changed, were added, replaced or moved, and forgets those that are gone', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    await open(root, cacheDir);
    await write(root, 'a.md', '# Alpha\n\nWater the cucumber.\n\n## Beta\n\nApples and pears.\n');
    await write(root, 'new.md', '# Needle\n\nA new page.\n');
    await rename(path.join(root, 'e.html'), path.join(root, 'f.html'));
    await rm(path.join(root, 'b/d.csv'));
    const next = await open(root, cacheDir);
    expect(next.filesRead).toBe(3);
    expect(await seenOf(next)).toEqual(await seenOf(await open(root)));
    expect((await open(root, cacheDir)).filesRead).toBe(0);
    expect(await keptFiles(cacheDir)).toHaveLength(1);
  });

  it('reads a file again that has other text of the same length and time', async () => {
    const { root, cacheDir } = await makePlaces({ 'a.md': 'apples\n', 'b.md': 'pears\n' });
    const time = new Date('2026-01-01T00:00:00Z');
    await utimes(path.join(root, 'a.md'), time, time);
    await open(root, cacheDir);
    await write(root, 'a.md', 'needle\n');
    await utimes(path.join(root, 'a.md'), time, time);
    const next = await open(root, cacheDir);
    expect(next.filesRead).toBe(1);
    expect((await searchDocuments(next, { query: 'needle', limit: 3, mode: 'any' })).hits).toHaveLength(1);
  });

  it('reads a file again that changed just before it was read: it could change once more unseen', async () => {
    const { root, cacheDir } = await makePlaces({ 'a.md': 'apples\n', 'b.md': 'pears\n' });
    for (const expected of [2, 2]) {
      const index = await DocumentIndex.build(root, defaultDocumentLimits, { cacheDir });
      await index.whenKept();
      await index.close();
      expect(index.filesRead).toBe(expected);
    }
  });

  it('P: random edits give the index that a fresh process would build', async () => {
    const names = ['a.md', 'b.md', 'c/d.ts', 'c/e.csv', 'f', 'g.html', 'h.json'];
    const text = fc.constantFrom(
      '# Alpha\n\nWater the tomatoes.\n',
      'apples and pears\n\nin the garden\n',
      'function needle() {}\n',
      '<h1>Beta</h1><p>gamma apples',
      '',
      '\u0000binary',
      `const needle = 1;${' '.repeat(12_000)}`,
      '# One\n\n## Two\n\ntomatoes\n\n## Three\n\nwater water water\n',
    );
    const edit = fc.record({ name: fc.constantFrom(...names), text: fc.option(text), limit: fc.constantFrom(3, 100) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), fc.array(edit, { maxLength: 6 }), async (before, after) => {
        const folder = await mkdtemp(path.join(tmpdir(), 'cadre-kept-'));
        const opened: DocumentIndex[] = [];
        const build = async (cacheDir?: string): Promise<DocumentIndex> => {
          const limits = { ...defaultDocumentLimits, maxFiles: before.at(0)?.limit ?? 100 };
          const index = await DocumentIndex.build(path.join(folder, 'docs'), limits, { cacheDir, now: later });
          opened.push(index);
          await index.whenKept();
          return index;
        };
        const apply = async (edits: typeof before): Promise<void> => {
          for (const { name, text: content } of edits)
            if (content === null) await rm(path.join(folder, 'docs', name), { force: true });
            else await write(path.join(folder, 'docs'), name, content);
        };
        try {
          await write(path.join(folder, 'docs'), 'A.md', 'always\n');
          for (const edits of [before, after, []]) {
            await apply(edits);
            const kept = await build(path.join(folder, 'cache'));
            expect(await seenOf(kept)).toEqual(await seenOf(await build()));
          }
          expect(opened.at(-2)?.filesRead).toBe(0);
        } finally {
          for (const index of opened) await index.close();
          await rm(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: 40 },
    );
  });

  it('says the same about files that are left out as a fresh index', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    await symlink('a.md', path.join(root, 'link.md'));
    const first = await open(root, cacheDir);
    expect((await open(root, cacheDir)).stats()).toEqual(first.stats());
    expect(
      first
        .stats()
        .leftOut.map(({ kind, files }) => `${files} ${kind}`)
        .toSorted(),
    ).toEqual(['1 .png', '1 binary files', '1 symbolic links', '1 too large']);
  });

  it('is another one for other limits, and for another place', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    await open(root, cacheDir);
    const limited = await open(root, cacheDir, { maxFiles: 1 });
    expect([limited.filesRead > 0, limited.stats().files]).toEqual([true, 1]);
    await open(path.join(root, 'b'), cacheDir);
    await open(path.join(root, 'a.md'), cacheDir);
    expect(await keptFiles(cacheDir)).toHaveLength(4);
  });

  it('is one of at most eight: those that were used longest ago go', async () => {
    const { folder, cacheDir } = await makePlaces({});
    const indexOf = async (name: string): Promise<DocumentIndex> => {
      await write(folder, `${name}/a.md`, `# ${name}\n`);
      return await open(path.join(folder, name), cacheDir);
    };
    await indexOf('one');
    const [oldest = ''] = await keptFiles(cacheDir);
    await utimes(path.join(cacheDir, oldest), 1, 1);
    for (let place = 2; place <= 9; place += 1) await indexOf(`place${place}`);
    const kept = await keptFiles(cacheDir);
    expect([kept.length, kept.includes(oldest)]).toEqual([8, false]);
  });

  it('lets the event loop turn while a long document is indexed', async () => {
    const { root } = await makePlaces({ 'long.md': '# Title\n\nSome words about tomatoes.\n\n'.repeat(40_000) });
    let turns = 0;
    const count = (): void => void ((turns += 1), (timer = setImmediate(count)));
    let timer = setImmediate(count);
    await open(root);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(20);
  });
});

/** What others may put in the place of a kept index. */
const forgeries: Readonly<Record<string, (file: string) => Promise<void>>> = {
  'one byte changed': async (file) => {
    const bytes = await readFile(file);
    bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
    await writeFile(file, bytes);
  },
  'cut off': async (file) => writeFile(file, (await readFile(file)).subarray(0, 9_000)),
  empty: async (file) => writeFile(file, ''),
  'another text': async (file) => writeFile(file, 'not a database'),
  'a folder': async (file) => {
    await rm(file);
    await mkdir(file);
  },
  'a link': async (file) => {
    await rename(file, `${file}.elsewhere`);
    await symlink(`${file}.elsewhere`, file);
  },
};

/** Databases whose hash is in their name, so that only what they hold gives them away. */
const forgedTables: Readonly<Record<string, string>> = {
  'a trigger': 'CREATE TRIGGER t AFTER DELETE ON document BEGIN DELETE FROM place; END',
  'a view': 'CREATE VIEW v AS SELECT 1',
  'another table': 'DROP TABLE place; CREATE TABLE place(row INTEGER PRIMARY KEY, document INTEGER)',
  'no table': 'DROP TABLE unread',
  'numbers that no document has': 'UPDATE document SET row_count = 9000000000000000',
  'numbers beyond those of JavaScript': 'UPDATE document SET bytes = 9223372036854775807',
};

async function forgeTables(cacheDir: string, sql: string): Promise<void> {
  const [name = ''] = await keptFiles(cacheDir);
  const file = path.join(cacheDir, name);
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(`PRAGMA journal_mode = DELETE; ${sql}`);
  database.close();
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  await rename(file, path.join(cacheDir, `${name.slice(0, 32)}-${hash}.db`));
}

describe('a kept index that is not ours', () => {
  it.each(Object.entries(forgeries))('is dropped and built again: %s', async (_, forge) => {
    const { root, cacheDir } = await makePlaces(garden);
    const first = await open(root, cacheDir);
    const [name = ''] = await keptFiles(cacheDir);
    await forge(path.join(cacheDir, name));
    const second = await open(root, cacheDir);
    expect(second.filesRead).toBe(6);
    expect(await seenOf(second)).toEqual(await seenOf(first));
  });

  it.each(Object.entries(forgedTables))('is dropped and built again, although its hash is right: %s', async (_, sql) => {
    const { root, cacheDir } = await makePlaces(garden);
    const first = await open(root, cacheDir);
    await forgeTables(cacheDir, sql);
    const second = await open(root, cacheDir);
    expect(second.filesRead).toBe(6);
    expect(await seenOf(second)).toEqual(await seenOf(first));
    expect((await open(root, cacheDir)).filesRead).toBe(0);
  });

  it('is replaced when its damage shows only in a search', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    await open(root, cacheDir);
    // The record that says where the words are.
    await forgeTables(cacheDir, "UPDATE chunk_data SET block = x'ffffffffffffffff' WHERE id = 10");
    const { documents, call } = openTools({ root, cacheDir });
    const { hits } = JSON.parse(await call('search_documents', { query: 'tomatoes' })) as { hits: { file: string }[] };
    expect(hits.map(({ file }) => file)).toEqual(['a.md']);
    expect((await documents.index()).isInFile).toBe(false);
    expect((await open(root, cacheDir)).filesRead).toBe(6);
  });

  it('adds no text of its own to results', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    await open(root, cacheDir);
    await forgeTables(cacheDir, 'UPDATE place SET line = 900, end_line = 1000 WHERE row = 1');
    const { hits } = await searchDocuments(await open(root, cacheDir), { query: 'tomatoes', limit: 5, mode: 'any' });
    expect(hits.map(({ text }) => text)).toEqual(['']);
  });
});

describe('a folder for indexes that cannot be used', () => {
  const cases: Readonly<Record<string, (folder: string, cacheDir: string) => Promise<void>>> = {
    'a file': async (_, cacheDir) => writeFile(cacheDir, 'a file'),
    'a link to another folder': async (folder, cacheDir) => {
      await mkdir(path.join(folder, 'elsewhere'));
      await symlink('elsewhere', cacheDir);
    },
    'a folder that others can write into': async (_, cacheDir) => {
      await mkdir(cacheDir);
      await chmod(cacheDir, 0o777);
    },
  };

  it.each(Object.entries(cases))('leaves the index in memory: %s', async (_, prepare) => {
    const { folder, root, cacheDir } = await makePlaces(garden);
    await prepare(folder, cacheDir);
    const index = await open(root, cacheDir);
    expect([index.isInFile, index.stats().files]).toEqual([false, 4]);
    expect(await readdir(path.join(folder, 'elsewhere')).catch(() => [])).toEqual([]);
  });

  it('leaves the index in memory: one without permission to write', async () => {
    // A folder of the system, where not even root can create files.
    const { root } = await makePlaces(garden);
    expect((await open(root, '/proc/self/cadre-documents')).isInFile).toBe(false);
  });

  it('removes no file that is not ours', async () => {
    const { root, cacheDir } = await makePlaces(garden);
    await mkdir(cacheDir, { mode: 0o700 });
    const others = ['notes.db', `${'a'.repeat(32)}.db`, 'x.part', `${'a'.repeat(32)}-${'b'.repeat(64)}.txt`];
    for (const name of others) {
      await writeFile(path.join(cacheDir, name), 'mine');
      await utimes(path.join(cacheDir, name), 1, 1);
    }
    await open(root, cacheDir);
    expect(await keptFiles(cacheDir)).toEqual(expect.arrayContaining(others));
  });
});
