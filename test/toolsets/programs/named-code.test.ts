import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeInVariables, codeNamedBy } from '../../../src/files/programs/named-code.ts';

let folder = '';
const files = [
  'start',
  'run.cfg',
  'hook.mjs',
  'pre',
  'app.py',
  'data.db',
  'x.so',
  'pkg/__main__.py',
  'pkg/sub.py',
  'site/index.js',
  'docs/a.md',
];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-named-'));
  for (const file of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), 'x\n');
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const relative = (found: readonly string[]): readonly string[] => found.map((file) => path.relative(folder, file));

describe('F73: code that a command line names', () => {
  it.each([
    ['a script without an ending', 'sh', ['./start'], ['start']],
    ['one behind a program that starts another', '/usr/bin/env', ['A=1', 'sh', 'start', 'data.db'], ['start']],
    ['a program in an argument', 'bash', ['-lc', '. ./run.cfg && sh start'], ['run.cfg', 'start']],
    ['no file that it writes', 'sh', ['-c', 'sh start "$TOKEN" 2>> "data.db" >docs/a.md'], ['start']],
    ['one that it writes and then runs', 'sh', ['-c', 'date > run.cfg; . run.cfg; echo <>start'], ['run.cfg', 'start']],
    ['the value of an option', 'node', ['--import=./hook.mjs', '-e', '0'], ['hook.mjs']],
    ['a file before the script', 'node', ['-r', './pre', './start', './data.db'], ['pre', 'start']],
    ['a module', 'python3.12', ['-m', 'pkg', 'data.db'], ['pkg/__main__.py']],
    ['a module in a package', 'python', ['-m', 'pkg.sub'], ['pkg/sub.py']],
    ['a folder', 'node', ['site'], ['site/index.js']],
    ['the script alone, not its data', 'python3', ['-u', 'app.py', '--db', 'data.db'], ['app.py']],
    ['no data of other programs', 'server', ['--db', './data.db', './docs', 'start'], []],
    ['a module that is installed, and no data', 'python3', ['-m', 'installed', '--db', './data.db'], []],
  ])('%s', (_, program, args, expected) => {
    expect(relative(codeNamedBy(args, folder, program))).toEqual(expected);
  });

  it('in variables', () => {
    const env = { NODE_OPTIONS: '--import ./hook.mjs', BASH_ENV: './run.cfg', LD_PRELOAD: 'x.so', DB: './data.db', EMPTY: '' };
    expect(relative(codeInVariables(env, folder))).toEqual(['hook.mjs', 'run.cfg', 'x.so']);
  });
});
