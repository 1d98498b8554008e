import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { folderCode } from '../../../src/engine/toolsets/folder-code.ts';
import { codeLines } from '../../../src/engine/launch/reach-of-profiles.ts';
import type { Step } from './load-code.ts';

type Files = Readonly<Record<string, string>>;

/** Creates a folder of code with installed packages. */
async function folder(files: Files) {
  const root = await mkdtemp(path.join(tmpdir(), 'cadre-code-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  /** Does steps in a new process, and returns what they returned. */
  const run = async (...steps: readonly Step[]): Promise<readonly unknown[]> => {
    const script = path.join(import.meta.dirname, 'load-code.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, root, JSON.stringify(steps)]);
    return JSON.parse(stdout) as readonly unknown[];
  };
  return { root, write, run, code: () => folderCode(root, 'check.mjs') };
}

const manifest = (name: string, more: object = {}): string => JSON.stringify({ name, version: '1.0.0', ...more });

const packages: Files = {
  'check.mjs': `import { mode, later } from 'direct';\nimport { own } from './own.mjs';\nexport default () => [mode, own];\nexport { later };\n`,
  'own.mjs': `export const own = 'own 1';\n`,
  'node_modules/direct/package.json': manifest('direct', { main: 'main.js', dependencies: { '@deep/needed': '1' } }),
  'node_modules/direct/main.js': `exports.mode = require('@deep/needed').mode;\nexports.later = () => require('./later.js');\n`,
  'node_modules/direct/later.js': `module.exports = 'later 1';\n`,
  'node_modules/@deep/needed/package.json': manifest('@deep/needed', { type: 'module', exports: './main.js' }),
  'node_modules/@deep/needed/main.js': `export const mode = 'needed 1';\n`,
};

const linesOf = async (code: ReturnType<typeof folderCode>): Promise<string> => (await codeLines(await code.read())).join('\n');

it('code is imported as it was read, with what it imports, whatever the files contain by then', async () => {
  const { run } = await folder(packages);
  const [read, , , , made] = await run(
    { do: 'read' },
    { do: 'write', file: 'check.mjs', text: 'export default () => "changed"\n' },
    { do: 'write', file: 'own.mjs', text: 'export const own = "changed"\n' },
    { do: 'load' },
    { do: 'call', name: 'default' },
  );
  expect(read).toEqual([
    expect.stringMatching(/^check\.mjs with own\.mjs, SHA-256 [0-9a-f]{64}$/),
    expect.stringMatching(/^package direct 1\.0\.0 with 1 package that it needs, imported by check\.mjs, SHA-256 [0-9a-f]{64}$/),
  ]);
  expect(made).toEqual(['needed 1', 'own 1']);
});

it.each([
  ['a file of the package', 'node_modules/direct/main.js', 'exports.mode = "changed";\n'],
  ['a file of a package it needs', 'node_modules/@deep/needed/main.js', "export const mode = 'changed';\n"],
  ['a file that no import names', 'node_modules/direct/data.txt', 'changed\n'],
  ['the way a package is found', 'node_modules/@deep/needed/package.json', manifest('@deep/needed', { main: 'other.js' })],
  [
    'a nearer package',
    'node_modules/direct/node_modules/@deep/needed/package.json',
    manifest('@deep/needed', { main: 'other.js' }),
  ],
  [
    'what the lockfile says',
    'package-lock.json',
    JSON.stringify({ packages: { 'node_modules/@deep/needed': { version: '1.0.0', integrity: 'sha512-other' } } }),
  ],
])('other packages are other code: %s', async (_, name, text) => {
  const { write, code } = await folder(packages);
  const before = await linesOf(code());
  expect(await linesOf(code())).toBe(before);
  await write(name, text);
  expect(await linesOf(code())).not.toBe(before);
});

it.each([
  ['imported', 'node_modules/@deep/needed/main.js'],
  ['required', 'node_modules/direct/main.js'],
])('an %s file of a package that changed after it was read is not loaded', async (_, file) => {
  const { run } = await folder(packages);
  const [, , loaded] = await run({ do: 'read' }, { do: 'write', file, text: `throw new Error('was run')\n` }, { do: 'load' });
  expect(loaded).toMatch(/failed: .*changed since its package was read/);
});

it('what a package loads later is checked then', async () => {
  const { run } = await folder(packages);
  const file = 'node_modules/direct/later.js';
  const [, , changed, , same] = await run(
    { do: 'load' },
    { do: 'write', file, text: `throw new Error('was run')\n` },
    { do: 'call', name: 'later' },
    { do: 'write', file, text: `module.exports = 'later 1';\n` },
    { do: 'call', name: 'later' },
  );
  expect(changed).toMatch(/failed: .*later\.js changed since its package was read/);
  expect(same).toBe('later 1');
});

const other: Files = {
  'node_modules/other/package.json': manifest('other'),
  'node_modules/other/index.js': 'exports.mode = 1;\n',
};

it.each([
  ['whose name is computed', { 'check.mjs': `await import(['ot', 'her'].join(''));\n` }],
  [
    'that is required by a computed name',
    {
      'check.mjs': `import { createRequire as make } from 'node:module';\nconst need = make(import.meta.url);\nneed('oth' + 'er');\n`,
    },
  ],
  [
    'that no package.json names',
    { ...packages, 'node_modules/direct/main.js': `exports.later = exports.mode = require('other').mode;\n` },
  ],
  [
    'reached by its place from code in an address',
    {
      'check.mjs': `const at = new URL('./node_modules/other/index.js', import.meta.url);\nat.search = '';\nawait import('data:text/javascript,import ' + JSON.stringify(at.href));\n`,
    },
  ],
  ['reached by its path', { 'check.mjs': `await import('./node_modules/other/index.js');\n` }],
])('a package %s is not imported', async (_, files: Files) => {
  const { run } = await folder({ ...other, ...files });
  expect(await run({ do: 'load' })).toEqual([expect.stringMatching(/failed: .*not among the (?:packages|files) that were read/)]);
});

it('a linked package counts with its own files', async () => {
  const { root, write, code, run } = await folder({
    'check.mjs': `import { mode } from 'linked';\nexport default () => mode;\n`,
    'packages/linked/package.json': manifest('linked', { main: 'main.js' }),
    'packages/linked/main.js': `exports.mode = require('./inner').mode;\n`,
    'packages/linked/inner.js': `exports.mode = 'linked 1';\n`,
  });
  await mkdir(path.join(root, 'node_modules'));
  await symlink('../packages/linked', path.join(root, 'node_modules/linked'));
  const before = await linesOf(code());
  expect(await run({ do: 'load' }, { do: 'call', name: 'default' })).toEqual([['default'], 'linked 1']);
  await write('packages/linked/inner.js', `exports.mode = 'linked 2';\n`);
  expect(await linesOf(code())).not.toBe(before);
});

it('a process that loaded a package does not take another version of it for other code', async () => {
  const { run } = await folder({ ...packages, 'other.mjs': `import { mode } from 'direct';\nexport default () => mode;\n` });
  const [, , changed] = await run(
    { do: 'load' },
    { do: 'write', file: 'node_modules/direct/main.js', text: `exports.mode = 'changed';\n` },
    { do: 'load', file: 'other.mjs' },
  );
  expect(changed).toMatch(/failed: .*changed since this process loaded it; start Cadre again/);
});
