import { execFileSync } from 'node:child_process';
import { link, rename, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, openTools } from './call-tool.ts';
import { makeFolder, putFile } from './temp-folder.ts';

const secret = 'TOP-SECRET-CONTENT';

/** A documents folder with all kinds of ways out of it, beside a folder and a file that must stay unread. */
async function makeJail(): Promise<{ readonly root: string; readonly outside: string }> {
  const outside = await makeFolder({ 'docs/inside.md': '# Inside\n\nhello inside\n', 'docs/guide/deep.md': 'deep text\n' });
  await putFile(outside, 'docs-evil/secret.md', secret);
  await putFile(outside, 'secret.md', secret);
  const root = join(outside, 'docs');
  await symlink(join(outside, 'secret.md'), join(root, 'link.md'));
  await symlink(join(outside, 'docs-evil'), join(root, 'linkdir'));
  await symlink('..', join(root, 'up'));
  await symlink('inside.md', join(root, 'innerlink.md'));
  await symlink('guide', join(root, 'innerdir'));
  await symlink('/proc/self/root', join(root, 'procroot'));
  await symlink('/dev/zero', join(root, 'zero.md'));
  await symlink('loop.md', join(root, 'loop.md'));
  await symlink('nowhere.md', join(root, 'dangling.md'));
  await putFile(root, '.hidden/secret.md', secret);
  await putFile(root, 'node_modules/secret.md', secret);
  await putFile(root, 'data.json', secret);
  return { root, outside };
}

const refused: readonly (readonly [string, (outside: string) => string])[] = [
  ['parent file', () => '../secret.md'],
  ['prefix sibling', () => '../docs-evil/secret.md'],
  ['climbing through a folder', () => 'guide/../../secret.md'],
  ['climbing back in', () => '../docs/inside.md'],
  ['climbing that stays inside', () => 'guide/../inside.md'],
  ['trailing ..', () => 'guide/..'],
  ['only ..', () => '..'],
  ['dots and a space', () => '.. /secret.md'],
  ['three dots', () => '.../secret.md'],
  ['absolute', (outside) => join(outside, 'secret.md')],
  ['absolute and inside', (outside) => join(outside, 'docs/inside.md')],
  ['absolute /etc/passwd', () => '/etc/passwd'],
  ['double slash', () => '//etc/passwd'],
  ['/proc/self/root', () => '/proc/self/root/etc/passwd'],
  ['/dev/zero', () => '/dev/zero'],
  ['home', () => '~/secret.md'],
  ['another home', () => '~root/.bashrc'],
  ['NUL', () => 'inside.md\0.txt'],
  ['NUL alone', () => '\0'],
  ['line break', () => 'inside.md\nsecret.md'],
  ['escape character', () => '\u001b[2Jinside.md'],
  ['percent-encoded ..', () => '%2e%2e/secret.md'],
  ['percent-encoded slash', () => '..%2fsecret.md'],
  ['twice percent-encoded', () => '%252e%252e%252fsecret.md'],
  ['percent-encoded NUL', () => 'inside.md%00.txt'],
  ['backslashes', () => '..\\secret.md'],
  ['drive letter', () => 'C:/Windows/win.ini'],
  ['UNC path', () => '\\\\server\\share\\a.md'],
  ['empty', () => ' '],
  ['only dots and slashes', () => './/.'],
  ['overlong', () => `${'a/'.repeat(1000)}b.md`],
  ['symbolic link to a file outside', () => 'link.md'],
  ['symbolic link to a folder outside', () => 'linkdir/secret.md'],
  ['symbolic link upwards', () => 'up/secret.md'],
  ['symbolic link upwards and down', () => 'up/docs/inside.md'],
  ['symbolic link inside', () => 'innerlink.md'],
  ['symbolic folder link inside', () => 'innerdir/deep.md'],
  ['link into /proc', () => 'procroot/etc/passwd'],
  ['link to a device', () => 'zero.md'],
  ['link to itself', () => 'loop.md'],
  ['dangling link', () => 'dangling.md'],
];

describe('the jail around the documents folder', () => {
  it.each(refused)('refuses: %s', async (_, path) => {
    const { root, outside } = await makeJail();
    const { call } = openTools({ root });
    for (const [tool, args] of [
      ['read_document', { file: path(outside) }],
      ['find_passages', { file: path(outside), query: 'secret' }],
      ['search_documents', { query: 'secret', files: [path(outside)] }],
    ] as const) {
      const error = await errorOf(call(tool, args));
      // A link names nothing that could be searched in; the tools that open files say that it is one.
      expect(tool === 'search_documents' ? ['PATH_REFUSED', 'TOOL_FAILED'] : ['PATH_REFUSED']).toContain(error.code);
      expect(error.message).not.toContain(secret);
    }
  });

  it.each(['.hidden/secret.md', 'node_modules/secret.md', 'data.json', 'guide', 'INSIDE.MD', 'inside.md/x', 'nothing.md'])(
    'knows no document %s, and says which there are',
    async (file) => {
      const { root } = await makeJail();
      const { call } = openTools({ root });
      const error = await errorOf(call('read_document', { file }));
      expect(error.code).toBe('TOOL_FAILED');
      expect(error.message).toMatch(/Close to it|list_documents/);
      expect(error.message).not.toContain(secret);
    },
  );

  it('never finds what is outside, hidden or behind a link', async () => {
    const { root } = await makeJail();
    const { documents, call } = openTools({ root });
    expect(JSON.parse(await call('search_documents', { query: 'TOP SECRET CONTENT' }))).toMatchObject({ hits: [] });
    const { files, skipped } = await documents.stats();
    expect(files).toBe(2);
    expect(skipped.map(({ file }) => file).toSorted()).toEqual([
      'dangling.md',
      'innerdir',
      'innerlink.md',
      'link.md',
      'linkdir',
      'loop.md',
      'procroot',
      'up',
      'zero.md',
    ]);
  });

  it('passes over a FIFO without waiting for a writer', async () => {
    const root = await makeFolder({ 'a.md': 'text\n' });
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    const { documents, call } = openTools({ root });
    expect((await documents.stats()).skipped).toEqual([{ file: 'pipe.md', reason: 'it is not a regular file' }]);
    expect((await errorOf(call('read_document', { file: 'pipe.md' }))).message).toContain('not a regular file');
  });

  it('refuses a document that became a link, or whose folder did, after it was indexed', async () => {
    const { root, outside } = await makeJail();
    const { call } = openTools({ root });
    await call('read_document', { file: 'inside.md' });
    await unlink(join(root, 'inside.md'));
    await symlink(join(outside, 'secret.md'), join(root, 'inside.md'));
    await putFile(outside, 'docs-evil/deep.md', secret);
    await rename(join(root, 'guide'), join(outside, 'guide-away'));
    await symlink(join(outside, 'docs-evil'), join(root, 'guide'));
    for (const file of ['inside.md', 'guide/deep.md']) {
      const error = await errorOf(call('read_document', { file }));
      expect(error.code).toBe('PATH_REFUSED');
    }
  });

  it('never gives outside text while a folder is exchanged for a link again and again', async () => {
    const { root, outside } = await makeJail();
    await putFile(outside, 'docs-evil/deep.md', secret);
    const { call } = openTools({ root });
    await call('read_document', { file: 'guide/deep.md' });
    const swap = async (): Promise<void> => {
      for (let round = 0; round < 60; round += 1) {
        await rename(join(root, 'guide'), join(outside, 'away'));
        await symlink(join(outside, 'docs-evil'), join(root, 'guide'));
        await unlink(join(root, 'guide'));
        await rename(join(outside, 'away'), join(root, 'guide'));
      }
    };
    const read = async (): Promise<void> => {
      for (let round = 0; round < 60; round += 1) {
        const answer = await call('read_document', { file: 'guide/deep.md' }).catch((error: unknown) => String(error));
        expect(answer).not.toContain(secret);
      }
    };
    await Promise.all([swap(), read(), read()]);
    expect(await call('read_document', { file: 'guide/deep.md' })).toContain('1: deep text');
  });

  it('reads hard-linked documents, as package managers make them', async () => {
    const root = await makeFolder({ 'a.md': 'linked text\n' });
    await link(join(root, 'a.md'), join(root, 'b.md'));
    const { call } = openTools({ root });
    expect(await call('read_document', { file: 'b.md' })).toContain('1: linked text');
  });
});
