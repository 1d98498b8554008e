import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writesIn } from './files/find-writes.ts';

const src = path.join(import.meta.dirname, '..', 'src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[cm]?[jt]s$/.test(name));

/** Files outside of the jail (`src/files/`) that change the disk themselves, each with what it changes and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // Control groups: files of the kernel below /sys/fs/cgroup, which no project can reach.
  'toolsets/process/memory-group.ts': ['mkdirSync', 'rmdirSync', 'writeFileSync'],
};

describe('what changes the disk', () => {
  it('is done by the jail alone', () => {
    const found = files
      .filter((name) => !name.startsWith('files/'))
      .map((name) => [name, writesIn(readFileSync(path.join(src, name), 'utf8'))] as const)
      .filter(([, writes]) => writes.length > 0)
      .map(([name, writes]) => [name, [...new Set(writes)].toSorted()] as const);
    expect(Object.fromEntries(found)).toEqual(exceptions);
    expect(files.length).toBeGreaterThan(1000);
  });

  it.each([
    ["import { writeFile } from 'node:fs/promises'; await writeFile('a', '');", ['writeFile']],
    ["import { writeFile as put } from 'node:fs/promises'; await put('a', '');", ['writeFile']],
    ["import { writeFile } from 'fs/promises'; const put = writeFile;", ['writeFile']],
    ["import * as fs from 'node:fs'; fs.mkdirSync('a');", ['mkdirSync']],
    ["import fs from 'node:fs'; fs.promises.rm('a');", ['promises']],
    ["import { promises } from 'node:fs'; promises.rm('a');", ['promises']],
    ["import fs from 'node:fs'; const { renameSync } = fs;", ['fs']],
    ["import * as fs from 'node:fs'; fs['writeFileSync']('a', '');", ['writeFileSync']],
    ["import * as fs from 'node:fs'; const name = 'rmSync'; fs[name]('a');", ['fs[…]']],
    ["const { cpSync } = await import('node:fs'); cpSync('a', 'b');", ['cpSync']],
    ["const fs = await import('node:fs'); fs.cpSync('a', 'b');", ['import(…)']],
    ["const { symlinkSync } = require('node:fs');", ['require(…)']],
    ["const fs = process.getBuiltinModule('node:fs');", ['require(…)']],
    ["export { writeFile } from 'node:fs/promises';", ['export']],
    ["import { open } from 'node:fs/promises'; await open('a', 'w');", ['open']],
    ["import { open } from 'node:fs/promises'; await open('a', flags);", ['open']],
    ["import { openSync, constants } from 'node:fs'; openSync('a', constants.O_RDWR | constants.O_CREAT);", ['openSync']],
    ["import { open } from 'node:fs/promises'; const read = open;", ['open']],
    ["import { DatabaseSync } from 'node:sqlite'; new DatabaseSync(file);", ['DatabaseSync']],
    ["const { DatabaseSync: Base } = await import('node:sqlite'); new Base('a.db');", ['DatabaseSync']],
    ["import { backup } from 'node:sqlite'; await backup(database, 'a.db');", ['backup']],
    ['async function f(handle) { await handle.truncate(0); await handle.chmod(0o777); }', ['chmod', 'truncate']],
    ["import { createWriteStream } from 'node:fs'; createWriteStream('a');", ['createWriteStream']],
    ["page.screenshot({ path: 'a.png' });", ['path:']],
    ["download.saveAs('a');", ['saveAs']],
  ])('finds what changes the disk in %s', (text, calls) => {
    expect(writesIn(text).toSorted()).toEqual(calls);
  });

  it.each([
    "import { readFile, lstat } from 'node:fs/promises'; await readFile('a', 'utf8');",
    "import type { Stats, WriteStream } from 'node:fs';",
    "import { type FileHandle, open } from 'node:fs/promises'; await open('a', 'r'); await open('b');",
    "import { openSync, constants } from 'node:fs'; openSync('a', constants.O_RDONLY | constants.O_NOFOLLOW);",
    "import { DatabaseSync } from 'node:sqlite'; new DatabaseSync(':memory:');",
    "import type { DatabaseSync } from 'node:sqlite';",
    "const { existsSync } = await import('node:fs');",
    "import { writeFile } from '../workspace-changes.ts'; await writeFile('a', '');",
  ])('finds nothing in %s', (text) => {
    expect(writesIn(text)).toEqual([]);
  });
});
