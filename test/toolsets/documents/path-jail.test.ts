import { execFileSync } from 'node:child_process';
import { link, rename, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, openTools } from './call-tool.ts';
import { hostilePaths, makeJail, secret, type Jail } from '../../files/hostile-paths.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';

describe('the jail around the documents folder', () => {
  it.each([...hostilePaths, ['absolute and inside', ({ root }: Jail) => join(root, 'inside.md')] as const])(
    'refuses: %s',
    async (_, path) => {
      const { root, outside } = await makeJail();
      const { call } = openTools({ root });
      for (const [tool, args] of [
        ['read_document', { file: path({ root, outside }) }],
        ['find_passages', { file: path({ root, outside }), query: 'secret' }],
        ['search_documents', { query: 'secret', files: [path({ root, outside })] }],
      ] as const) {
        const error = await errorOf(call(tool, args));
        // A link names nothing that could be searched in; the tools that open files say that it is one.
        expect(tool === 'search_documents' ? ['PATH_REFUSED', 'TOOL_FAILED'] : ['PATH_REFUSED']).toContain(error.code);
        expect(error.message).not.toContain(secret);
      }
    },
  );

  it.each(['.hidden/secret.md', 'node_modules/secret.md', 'data.bin', 'guide', 'INSIDE.MD', 'inside.md/x', 'nothing.md'])(
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
      'ring',
      'self',
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
