import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, putFile } from './temp-folder.ts';

/** What stands in the files that must stay unread. */
export const secret = 'TOP-SECRET-CONTENT';

/** A folder to stay in, and the one it lies in. */
export interface Jail {
  readonly root: string;
  readonly outside: string;
}

/** A folder with all kinds of ways out of it, beside a folder and a file that must stay unread. */
export async function makeJail(): Promise<Jail> {
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
  await symlink('.', join(root, 'self'));
  await symlink('ring', join(root, 'ring'));
  await putFile(root, '.hidden/secret.md', secret);
  await putFile(root, 'node_modules/secret.md', secret);
  await putFile(root, 'data.bin', secret);
  return { root, outside };
}

/** Paths that must be refused, whatever is done with them (FAULTS S4). */
export const hostilePaths: readonly (readonly [string, (jail: Jail) => string])[] = [
  ['parent file', () => '../secret.md'],
  ['prefix sibling', () => '../docs-evil/secret.md'],
  ['climbing through a folder', () => 'guide/../../secret.md'],
  ['climbing back in', () => '../docs/inside.md'],
  ['climbing that stays inside', () => 'guide/../inside.md'],
  ['trailing ..', () => 'guide/..'],
  ['only ..', () => '..'],
  ['a folder two levels up', () => '../../tools/files/'],
  ['dots and a space', () => '.. /secret.md'],
  ['three dots', () => '.../secret.md'],
  ['absolute', ({ outside }) => join(outside, 'secret.md')],
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
  ['absolute to a prefix sibling', ({ root }) => `${root}-evil/secret.md`],
  ['absolute and climbing', ({ root }) => `${root}/../secret.md`],
  ['absolute through a link', ({ root }) => `${root}/up/secret.md`],
  ['/proc/self/environ', () => '/proc/self/environ'],
  ['/proc/self/cwd', () => '/proc/self/cwd/inside.md'],
  ['/dev/fd', () => '/dev/fd/0'],
  ['/sys', () => '/sys/kernel/notes'],
  ['file URL', () => 'file:///etc/passwd/../../secret.md'],
  ['.. after a file', () => 'inside.md/../../secret.md'],
  ['.. between dots', () => './../secret.md'],
  ['dots with a space between', () => '. ./secret.md'],
  ['mixed slashes', () => 'guide\\..\\..\\secret.md'],
  ['percent-encoded backslash', () => '..%5csecret.md'],
  ['percent-encoded absolute', () => '%2fetc/passwd'],
  ['thrice percent-encoded', () => '%25252e%25252e/secret.md'],
  ['DEL', () => 'inside.md\u007f'],
  ['tab', () => 'in\tside.md'],
  ['a link to its own folder', () => 'self/inside.md'],
  ['links round and round', () => 'ring/ring/secret.md'],
  ['something new below a link outside', () => 'linkdir/new.md'],
  ['something new below a link inside', () => 'innerdir/new.md'],
  ['something new below a link to its own folder', () => 'self/new.md'],
  ['something new below a link that leads nowhere', () => 'dangling.md/new.md'],
];
