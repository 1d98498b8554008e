import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, openTools } from './call-tool.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';

async function openWriter() {
  const base = await makeFolder({ 'docs/a.md': 'x', 'victim.md': 'untouched', 'out-evil/x': '' });
  const outDir = join(base, 'out');
  return { base, outDir, ...openTools({ root: join(base, 'docs'), outDir }) };
}

/** Every name below a folder. With file types, links are not followed: one here leads to the folder itself. */
async function namesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

describe('write_report', () => {
  it('exists only when there is an output folder', async () => {
    const { documents } = openTools({ root: await makeFolder({ 'a.md': 'x' }) });
    expect(documents.tools.map(({ name }) => name)).toEqual([
      'search_documents',
      'read_document',
      'find_passages',
      'list_documents',
      'check_citations',
    ]);
  });

  it('writes report.md, folders below, and replaces a report, leaving nothing else behind', async () => {
    const { outDir, call } = await openWriter();
    expect(JSON.parse(await call('write_report', { content: '# Ä\n' }))).toEqual({ path: 'report.md', bytes: 5, lines: 1 });
    await call('write_report', { content: 'second' });
    await call('write_report', { path: './team/a/final.MD', content: 'x' });
    expect(await readFile(join(outDir, 'report.md'), 'utf8')).toBe('second');
    expect((await readdir(outDir, { recursive: true })).toSorted()).toEqual(['report.md', 'team', 'team/a', 'team/a/final.MD']);
  });

  it('leaves one whole report when many are written at once', async () => {
    const { outDir, call } = await openWriter();
    const texts = Array.from({ length: 10 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(texts.map(async (content) => await call('write_report', { path: 'deep/r.md', content })));
    expect(texts).toContain(await readFile(join(outDir, 'deep/r.md'), 'utf8'));
    expect(await readdir(join(outDir, 'deep'))).toEqual(['r.md']);
  });

  it.each([
    '../victim.md',
    'a/../../victim.md',
    '../out-evil/x.md',
    '/tmp/victim.md',
    '~/victim.md',
    'x\0.md',
    '%2e%2e/victim.md',
    '..\\victim.md',
    'report.html',
    'report',
    'run.sh',
    '.git/hooks/x.md',
    '.env.md',
    'a/.hidden/x.md',
    'agent_profiles/x.md',
    'linkdir/victim.md',
    'link.md',
    'folder.md',
    'file.md/x.md',
    'dangling.md',
    'C:/x.md',
  ])('refuses %j and writes nothing', async (path) => {
    const { base, outDir, call } = await openWriter();
    await mkdir(join(outDir, 'folder.md'), { recursive: true });
    await putFile(outDir, 'file.md', 'x');
    await symlink(base, join(outDir, 'linkdir'));
    await symlink(join(base, 'victim.md'), join(outDir, 'link.md'));
    await symlink(join(base, 'new.md'), join(outDir, 'dangling.md'));
    const before = await namesBelow(base);
    expect((await errorOf(call('write_report', { path, content: 'attack' }))).code).toBe('PATH_REFUSED');
    expect(await namesBelow(base)).toEqual(before);
    expect(await readFile(join(base, 'victim.md'), 'utf8')).toBe('untouched');
  });

  it('says what the disk refused', async () => {
    const base = await makeFolder({ 'docs/a.md': 'x', out: 'a file' });
    const { call } = openTools({ root: join(base, 'docs'), outDir: join(base, 'out') });
    const error = await errorOf(call('write_report', { content: 'x' }));
    expect(error.code).toBe('TOOL_FAILED');
    expect(error.message).toContain('ENOTDIR');
  });
});
