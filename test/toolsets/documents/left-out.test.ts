import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDocumentRoot } from '../../../src/toolsets/documents/check-document-root.ts';
import { describeLeftOut } from '../../../src/toolsets/documents/left-out.ts';
import { surveyDocuments } from '../../../src/toolsets/documents/survey-documents.ts';
import { makeFolder } from '../../files/temp-folder.ts';
import { errorOf, openTools } from './call-tool.ts';

const mixed = {
  'guide.md': '# Guide\n\nHow to begin.\n',
  LICENSE: 'GNU GENERAL PUBLIC LICENSE, version 2\n',
  Makefile: 'all: build\n',
  'manual.docx': '%PDF-1.7',
  'other.DOCX': '%PDF-1.7',
  'image.png': new Uint8Array([0x89, 0x50]),
  program: new Uint8Array([0x7f, 0x45, 0, 1]),
  latin: new Uint8Array([0x67, 0xfc, 0x6e]),
  'big.txt': 'x'.repeat(2_000_001),
  '.env': 'KEY=hidden-value',
  id_rsa: 'PRIVATE hidden-value',
};

describe('files without an ending', () => {
  it('F33: are documents when they are text', async () => {
    const { documents, call } = openTools({ root: await makeFolder(mixed) });
    expect(documents.isRead).toBe(false);
    const answer = JSON.parse(await call('search_documents', { query: 'licence GENERAL PUBLIC' }));
    expect(answer.hits[0]).toMatchObject({ file: 'LICENSE', text: 'GNU GENERAL PUBLIC LICENSE, version 2' });
    expect((await documents.stats()).files).toBe(3);
    const report = 'It says "GNU GENERAL PUBLIC LICENSE, version 2" (LICENSE:1), and "MIT" (LICENSE:1), at 10:30 in step:2.';
    expect(JSON.parse(await call('check_citations', { text: report }))).toMatchObject({ total: 2, ok: 1 });
  });

  it('are left alone when they are hidden or made for secrets', async () => {
    const { call } = openTools({ root: await makeFolder(mixed) });
    expect(JSON.parse(await call('search_documents', { query: 'hidden-value PRIVATE KEY' }))).toMatchObject({ hits: [] });
    for (const file of ['id_rsa', '.env'])
      expect((await errorOf(call('read_document', { file }))).message).not.toContain('hidden-value');
  });
});

describe('what is left out', () => {
  it('F33: is counted by kind, in the answer that found nothing, in the listing and before anything is read', async () => {
    const root = await makeFolder(mixed);
    await symlink('guide.md', join(root, 'link.md'));
    const { call } = openTools({ root });
    const said = '2 .docx, 2 binary files, 1 .png, 1 file with secrets, 1 symbolic link, 1 too large';
    expect(describeLeftOut(await surveyDocuments(root))).toBe(said);
    const nothing = JSON.parse(await call('search_documents', { query: 'zebra' }));
    expect(nothing.note).toContain(`Not searched, because these files are not read: ${said}.`);
    expect(JSON.parse(await call('list_documents', {})).note).toBe(`Not read: ${said}.`);
    expect(JSON.parse(await call('search_documents', { query: 'begin' })).note).toBeUndefined();
  });

  it('is said of the file that is asked for', async () => {
    const { call } = openTools({ root: await makeFolder(mixed) });
    expect((await errorOf(call('read_document', { file: 'manual.docx' }))).message).toContain(
      'was left out: files of its kind (.docx) are not read',
    );
    expect((await errorOf(call('read_document', { file: 'no.docx' }))).message).toContain('There is no document "no.docx"');
  });

  it('is said shortly, however many kinds there are', () => {
    const kinds = Array.from({ length: 20 }, (_, index) => ({ kind: `.k${index}`, files: 2 }));
    expect(describeLeftOut(kinds)).toMatch(/^2 \.k0, .*2 \.k7, 24 of other kinds$/);
    expect(describeLeftOut([])).toBeUndefined();
  });
});

describe('one file as the documents', () => {
  it.each([
    ['guide.md', 'begin'],
    ['LICENSE', 'GENERAL'],
    ['data.csv', 'alpha'],
  ])('F33: %s alone is searched', async (name, word) => {
    const root = await makeFolder({ ...mixed, 'data.csv': 'alpha,1\n', 'other.md': 'begin GENERAL alpha\n' });
    const file = await checkDocumentRoot(join(root, name));
    expect(file).toBe(join(root, name));
    const { call } = openTools({ root: file });
    const { hits, total_files } = JSON.parse(await call('search_documents', { query: word }));
    expect([total_files, hits.map((hit: { file: string }) => hit.file)]).toEqual([1, [name]]);
    expect((await errorOf(call('read_document', { file: 'other.md' }))).code).toBe('TOOL_FAILED');
  });

  it('may be named through a link, and is the file that is meant', async () => {
    const root = await makeFolder(mixed);
    await symlink('guide.md', join(root, 'link'));
    expect(await checkDocumentRoot(join(root, 'link'))).toBe(join(root, 'guide.md'));
    await symlink('id_rsa', join(root, 'key.md'));
    expect((await errorOf(checkDocumentRoot(join(root, 'key.md')))).message).toContain('is where secrets are kept');
  });
});
