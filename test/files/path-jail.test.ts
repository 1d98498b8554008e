import { execFileSync } from 'node:child_process';
import { chmod, link, lstat, mkdir, readdir, readFile, rename, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import { readInside } from '../../src/files/read-inside.ts';
import { resolveInside } from '../../src/files/resolve-inside.ts';
import { writeInside } from '../../src/files/write-inside.ts';
import { hostilePaths, makeJail, secret, type Jail } from './hostile-paths.ts';
import { makeFolder, putFile } from './temp-folder.ts';

const what = 'the workspace';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What lies in the folders of the jail; links are not entered. */
async function everythingIn({ root, outside }: Jail): Promise<readonly string[][]> {
  const folders = [outside, join(outside, 'docs-evil'), root, join(root, 'guide')];
  return await Promise.all(folders.map(async (folder) => (await readdir(folder)).toSorted()));
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'it went through',
    (error: unknown) => (error instanceof CadreError ? error.code : String(error)),
  );
}

describe('the jail around a folder', () => {
  it('has sixty ways out to close', () => {
    expect(hostilePaths.length).toBeGreaterThanOrEqual(60);
  });

  it('closes all of them for resolving, and reading and writing never get out even without it', async () => {
    const jail = await makeJail();
    const { root, outside } = jail;
    const before = await everythingIn(jail);
    const passed: string[] = [];
    for (const [name, path] of hostilePaths) {
      const requested = path(jail);
      if ((await codeOf(resolveInside(root, requested, what))) !== 'PATH_REFUSED') passed.push(`resolve: ${name}`);
      // The parts that cannot stand in a clean path are refused by `toInsidePath`; links are left for the disk to tell.
      if (!requested.includes('..') && !requested.includes('\0') && !requested.startsWith('/')) {
        const read = await readInside(root, requested, 1_000);
        if (!('reason' in read) || read.reason.includes(secret)) passed.push(`read: ${name}`);
      }
    }
    expect(passed).toEqual([]);
    for (const file of [
      'link.md',
      'linkdir/new.md',
      'up/new.md',
      'innerdir/new.md',
      'self/new.md',
      'dangling.md',
      'zero.md',
      'procroot/tmp/x',
    ])
      expect(await codeOf(writeInside({ root, file, what, bytes: bytes('attack') })), file).toBe('PATH_REFUSED');
    expect(await everythingIn(jail)).toEqual(before);
    expect(await readFile(join(outside, 'secret.md'), 'utf8')).toBe(secret);
  });

  it('lets through what lies inside, relative or absolute, there or not', async () => {
    const { root } = await makeJail();
    const found = async (requested: string): Promise<readonly string[]> => {
      const { path, found: kind, absolute } = await resolveInside(root, requested, what);
      expect(absolute).toBe(path === '' ? root : join(root, path));
      return [path, kind];
    };
    expect(await found('inside.md')).toEqual(['inside.md', 'file']);
    expect(await found('./guide//deep.md')).toEqual(['guide/deep.md', 'file']);
    expect(await found('guide/')).toEqual(['guide', 'folder']);
    expect(await found('.')).toEqual(['', 'folder']);
    expect(await found('./')).toEqual(['', 'folder']);
    expect(await found(root)).toEqual(['', 'folder']);
    expect(await found(`${root}/inside.md`)).toEqual(['inside.md', 'file']);
    expect(await found('new/folder/file.txt')).toEqual(['new/folder/file.txt', 'missing']);
    expect(await found('inside.md/below')).toEqual(['inside.md/below', 'missing']);
    expect(await found('100%.md')).toEqual(['100%.md', 'missing']);
    expect(await found('..hidden')).toEqual(['..hidden', 'missing']);
  });

  it('takes absolute paths below a root that is itself reached through a link', async () => {
    const { root, outside } = await makeJail();
    await symlink(root, join(outside, 'alias'));
    const { path, absolute } = await resolveInside(join(outside, 'alias'), join(outside, 'alias', 'inside.md'), what);
    expect([path, absolute]).toEqual(['inside.md', join(root, 'inside.md')]);
  });

  it.each(['/', '/proc', '/dev', '/sys'])('never enters folders of the system, with %s as the root', async (root) => {
    const inside = root === '/' ? 'proc/self/environ' : 'null';
    expect(await codeOf(resolveInside(root, inside, what))).toBe('PATH_REFUSED');
    expect(await readInside(root, inside, 1_000)).toMatchObject({ refused: true });
    expect(await codeOf(writeInside({ root, file: inside, what, bytes: bytes('x') }))).toBe('PATH_REFUSED');
  });

  it('neither waits for a FIFO nor opens it, and writes over none', async () => {
    const root = await makeFolder();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await readInside(root, 'pipe', 1_000)).toEqual({ reason: 'it is not a regular file', refused: false });
    expect(await codeOf(writeInside({ root, file: 'pipe', what, bytes: bytes('x') }))).toBe('PATH_REFUSED');
    expect((await lstat(join(root, 'pipe'))).isFIFO()).toBe(true);
    expect((await resolveInside(root, 'pipe', what)).found).toBe('other');
  });

  it('takes the name, not the file, when it writes: what is hard-linked from outside stays as it is', async () => {
    const { root, outside } = await makeJail();
    await link(join(outside, 'secret.md'), join(root, 'linked.md'));
    await writeInside({ root, file: 'linked.md', what, bytes: bytes('mine') });
    expect(await readFile(join(root, 'linked.md'), 'utf8')).toBe('mine');
    expect(await readFile(join(outside, 'secret.md'), 'utf8')).toBe(secret);
  });

  it('never reads or writes outside while a folder is exchanged for a link again and again', async () => {
    const { root, outside } = await makeJail();
    await putFile(outside, 'docs-evil/deep.md', secret);
    let swaps = 0;
    const swap = async (): Promise<void> => {
      for (let round = 0; round < 80; round += 1) {
        // The writer makes the folder whenever it is missing, so any step here may come too late.
        await rename(join(root, 'guide'), join(outside, `away${round}`)).catch(() => undefined);
        await symlink(join(outside, 'docs-evil'), join(root, 'guide')).then(
          () => (swaps += 1),
          () => undefined,
        );
        await unlink(join(root, 'guide')).catch(() => undefined);
        await putFile(root, 'guide/deep.md', 'deep text').catch(() => undefined);
      }
    };
    const read = async (): Promise<void> => {
      for (let round = 0; round < 80; round += 1)
        expect(JSON.stringify(await readInside(root, 'guide/deep.md', 1_000))).not.toContain(secret);
    };
    const write = async (): Promise<void> => {
      for (let round = 0; round < 80; round += 1)
        await writeInside({ root, file: `guide/new${round}.md`, what, bytes: bytes('x') }).catch(() => undefined);
    };
    await Promise.all([swap(), read(), write()]);
    expect(swaps).toBeGreaterThan(20);
    expect((await readdir(join(outside, 'docs-evil'))).toSorted()).toEqual(['deep.md', 'secret.md']);
    expect(await readFile(join(outside, 'docs-evil/deep.md'), 'utf8')).toBe(secret);
  });

  it('writes whole files, makes folders, keeps permissions, and leaves nothing else behind', async () => {
    const root = await makeFolder({ 'run.sh': 'old' });
    await chmod(join(root, 'run.sh'), 0o750);
    expect(await writeInside({ root, file: 'a/b/c.txt', what, bytes: bytes('new') })).toEqual({ created: true });
    expect(await writeInside({ root, file: 'run.sh', what, bytes: bytes('new') })).toEqual({ created: false });
    expect((await lstat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750);
    expect((await readdir(root, { recursive: true })).toSorted()).toEqual(['a', 'a/b', 'a/b/c.txt', 'run.sh']);
    await mkdir(join(root, 'folder'));
    for (const file of ['folder', 'run.sh/below'])
      expect(await codeOf(writeInside({ root, file, what, bytes: bytes('x') }))).toBe('PATH_REFUSED');
  });

  it('writes only over what was expected', async () => {
    const root = await makeFolder({ 'a.txt': 'one' });
    const read = await readInside(root, 'a.txt', 1_000);
    if ('reason' in read) throw new Error(read.reason);
    const write = async (expected: string) =>
      await codeOf(writeInside({ root, file: 'a.txt', what, bytes: bytes('three'), expected }));
    await putFile(root, 'a.txt', 'somebody else');
    expect(await write(read.version)).toBe('TOOL_FAILED');
    expect(await write('absent')).toBe('TOOL_FAILED');
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('somebody else');
    expect((await readdir(root)).length).toBe(1);
  });
});
