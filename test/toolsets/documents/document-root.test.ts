import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDocumentRoot } from '../../../src/toolsets/documents/check-document-root.ts';
import { errorOf, openTools } from './call-tool.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';

describe('checkDocumentRoot', () => {
  it('gives the real path of a folder with a document, through a link too', async () => {
    const folder = await makeFolder({ 'docs/deep/er/A.MARKDOWN': 'x' });
    await symlink('docs', join(folder, 'link'));
    expect(await checkDocumentRoot(join(folder, 'link'))).toBe(join(folder, 'docs'));
  });

  it.each([
    ['does not exist', async () => join(await makeFolder(), 'nowhere')],
    ['is a hidden file', async () => join(await makeFolder({ '.env': 'KEY=1' }), '.env')],
    ['is where secrets are kept', async () => join(await makeFolder({ id_rsa: 'key' }), 'id_rsa')],
    ['it is a binary file', async () => join(await makeFolder({ 'a.docx': 'PK\0' }), 'a.docx')],
    ['Files that are not read: 2 .docx, 1 .png', async () => await makeFolder({ 'a.docx': 'x', 'b.DOCX': 'x', 'c.png': 'x' })],
    ['holds no readable document', async () => await makeFolder()],
    ['holds no readable document', async () => await makeFolder({ 'a.pdf': 'x', '.hidden/a.md': 'x', 'node_modules/a/a.md': 'x' })],
    ['it is a binary file', async () => await makeFolder({ 'a.md': new Uint8Array([35, 0, 1, 2]) })],
    ['it is not UTF-8 text', async () => await makeFolder({ 'a.txt': new Uint8Array([0x67, 0xfc, 0x6e]) })],
    ['cannot be opened (ENAMETOOLONG)', async () => `/tmp/${'x'.repeat(300)}`],
    ['is not a path', async () => ''],
    ['is not a path', async () => '/tmp/\0'],
    ['belongs to the system', async () => '/proc/self'],
    ['belongs to the system', async () => '/dev'],
  ])('says that the folder %s, what is allowed and what to do, as the tools do', async (problem, makeRoot) => {
    const root = await makeRoot();
    const error = await errorOf(checkDocumentRoot(root));
    expect(error.code).toBe('DOCS_UNREADABLE');
    expect(error.message).toContain(problem);
    expect(error.message).toContain('.md, .mdx, .markdown, .txt, .rst');
    expect(error.message).toContain('Give such a folder or file.');
    const { call } = openTools({ root });
    expect((await errorOf(call('search_documents', { query: 'x' }))).code).toBe('DOCS_UNREADABLE');
  });

  it('lets the tools work once the folder is there', async () => {
    const root = await makeFolder();
    const { call } = openTools({ root });
    await errorOf(call('list_documents', {}));
    await putFile(root, 'late.md', 'late text\n');
    expect(JSON.parse(await call('list_documents', {}))).toMatchObject({ total_files: 1 });
  });
});

describe('what is in the index', () => {
  it('skips what it cannot read, with the reason, and keeps the rest', async () => {
    const root = await makeFolder({
      'a.md': 'alpha\n',
      'big.md': 'x'.repeat(5000),
      'binary.md': new Uint8Array([1, 2, 0, 3]),
      'latin.txt': new Uint8Array([0xe9, 0x20, 0x41]),
      'empty.md': '',
      'UPPER.MD': 'upper\n',
      'with\\backslash.md': 'x',
      'bom.md': '\uFEFF# Title\n\nbody\n',
    });
    const { documents, call } = openTools({ root, maxFileBytes: 4000 });
    const { files, skipped } = await documents.stats();
    expect(files).toBe(4);
    expect(Object.fromEntries(skipped.map(({ file, reason }) => [file, reason]))).toMatchObject({
      'big.md': expect.stringContaining('larger than 4000 bytes (5000)'),
      'binary.md': expect.stringContaining('binary'),
      'latin.txt': expect.stringContaining('not UTF-8'),
      'with\\backslash.md': expect.stringContaining('backslash'),
    });
    expect((await errorOf(call('read_document', { file: 'big.md' }))).message).toContain(
      'was left out: it is larger than 4000 bytes',
    );
    expect(await call('read_document', { file: 'empty.md' })).toBe('empty.md: an empty document (0 lines)');
    expect(await call('read_document', { file: 'bom.md' })).toContain('\n1: # Title\n');
    expect(JSON.parse(await call('list_documents', {}))).toMatchObject({
      files: [{ file: 'UPPER.MD' }, { file: 'a.md' }, { file: 'bom.md', title: 'Title', lines: 3 }, { file: 'empty.md', lines: 0 }],
    });
  });

  it('stops at the most files allowed, and says which were left out', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `n${String(index).padStart(2, '0')}.md`);
    const root = await makeFolder(Object.fromEntries(names.map((name) => [name, `text of ${name}\n`])));
    const { documents } = openTools({ root, maxFiles: 60 });
    const { files, skipped } = await documents.stats();
    expect(files).toBe(60);
    expect(skipped.map(({ file }) => file)).toEqual(names.slice(60));
    expect(skipped[0]?.reason).toContain('60');
  });

  it('refuses to work after it was disposed of', async () => {
    const { documents, call } = openTools({ root: await makeFolder({ 'a.md': 'x' }) });
    const building = documents.stats();
    documents[Symbol.dispose]();
    expect((await errorOf(building)).code).toBe('ENGINE_CLOSED');
    expect((await errorOf(call('search_documents', { query: 'x' }))).code).toBe('ENGINE_CLOSED');
  });
});
