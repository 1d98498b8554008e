import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const child = path.join(import.meta.dirname, 'closed-folder-child.ts');
/** Root may list every folder: where the tests run as root, the command and its user are another one. */
const asUser: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let base = '';
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'cadre-closed-'));
  mkdirSync(path.join(base, 'w'));
  const { uid, gid } = asUser;
  if (uid !== undefined && gid !== undefined) for (const folder of [base, path.join(base, 'w')]) chownSync(folder, uid, gid);
});
afterEach(() => {
  chmodSync(path.join(base, 'w'), 0o777);
  rmSync(base, { recursive: true, force: true });
});

/** What a hostile command does, and where its user then uses git. */
const attacks: readonly (readonly [name: string, command: string, used: string])[] = [
  ['a folder that may be entered and not listed', 'mkdir sub; trap sub; chmod 111 sub', 'sub'],
  ['one in the other', 'mkdir -p a/b/c; trap a/b/c; chmod 311 a/b/c a/b; chmod 111 a', 'a/b/c'],
  ['the workspace itself', 'mkdir sub; trap sub; chmod 311 .', 'sub'],
  ['a bare repository', 'git init -q --bare x; chmod 311 x', 'x'],
];

describe('F36: a folder that cannot be listed hides nothing from the guard of a workspace', () => {
  it.each(attacks)('%s', (_, command, used) => {
    const mark = path.join(base, 'pwned');
    const trap = `trap() { git init -q "$1"; git -C "$1" config core.fsmonitor "touch $MARK; false"; }\n`;
    const { stdout, stderr } = spawnSync(process.execPath, [child, path.join(base, 'w'), trap + command, used], {
      ...asUser,
      cwd: base,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: base, MARK: mark },
    });
    expect(stdout, stderr).toContain('files moved out of the way');
    expect(existsSync(mark)).toBe(false);
  });
});
