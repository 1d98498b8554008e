import { execFileSync } from 'node:child_process';
import { open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../src/files/glob-pattern.ts';
import { hostilePaths, makeJail, secret } from '../../files/hostile-paths.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';
import { openWorkspace } from './call-workspace.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');

async function hugeFile(folder: string, name: string): Promise<void> {
  const handle = await open(join(folder, name), 'w');
  await handle.write('first line\nsecond line\n');
  await handle.truncate(1_000_000_000);
  await handle.close();
}

describe('read_file', () => {
  it('[A2.3.editor] reads whole files and parts, with the numbers of their lines and without', async () => {
    const { text, fails } = openWorkspace(await makeFolder({ 'a.txt': 'one\r\ntwo\nthree', 'empty.txt': '' }));
    expect(await text('read_file', { path: 'a.txt' })).toBe('a.txt: lines 1 to 3 of 3\n1: one\n2: two\n3: three');
    expect(await text('read_file', { path: 'a.txt', from_line: 2, to_line: 2, line_numbers: false })).toMatch(
      /^a.txt: lines 2 to 2 of .*\ntwo$/,
    );
    expect(await text('read_file', { path: 'a.txt', from_line: 2, to_line: 9 })).toContain('lines 2 to 3 of 3');
    expect(await text('read_file', { path: 'empty.txt' })).toBe('empty.txt: an empty file');
    expect((await fails('read_file', { path: 'a.txt', from_line: 4 })).message).toContain('has 3 lines; there is no line 4');
    expect((await fails('read_file', { path: 'a.txt', from_line: 3, to_line: 2 })).message).toContain('before from_line');
  });

  it('says how to go on when a text fills the answer, and cuts a line that is too long for one', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`);
    const { text } = openWorkspace(await makeFolder({ 'long.txt': lines.join('\n'), 'wide.txt': 'x'.repeat(100_000) }));
    const first = await text('read_file', { path: 'long.txt' });
    const next = Number(/go on with from_line (\d+)/.exec(first)?.[1]);
    expect(next).toBeGreaterThan(1_000);
    expect(await text('read_file', { path: 'long.txt', from_line: next, to_line: next })).toContain(`${next}: line ${next}`);
    expect(await text('read_file', { path: 'wide.txt' })).toContain('a line of 100000 characters');
  });

  it('tells the size of a binary and of a 1 GB file and what to do, and still reads the beginning of the huge one', async () => {
    const folder = await makeFolder({ 'data.bin': new Uint8Array([1, 0, 2, 0]), 'latin.txt': new Uint8Array([0xe4, 0xf6, 0x0a]) });
    await hugeFile(folder, 'huge.log');
    const { text, fails } = openWorkspace(folder);
    expect((await fails('read_file', { path: 'data.bin' })).message).toMatch(/binary file of 4 bytes.*program that knows/);
    expect((await fails('read_file', { path: 'huge.log' })).message).toMatch(/binary|1\.0 GB/);
    await putFile(folder, 'huge.txt', 'a line of text\n'.repeat(700_000));
    expect((await fails('read_file', { path: 'huge.txt' })).message).toMatch(/10\.5 MB long.*from_line.*search_files/);
    expect(await text('read_file', { path: 'huge.txt', from_line: 600_000, to_line: 600_001 })).toContain('600001: a line of text');
    expect((await fails('read_file', { path: 'latin.txt' })).message).toContain('windows-1252');
    expect(await text('read_file', { path: 'latin.txt', encoding: 'windows-1252' })).toContain('1: äö');
  });

  it('never reads a gigabyte that has no lines', async () => {
    const folder = await makeFolder();
    await hugeFile(folder, 'huge.txt');
    const { text, fails } = openWorkspace(folder);
    expect(await text('read_file', { path: 'huge.txt', encoding: 'utf-8', from_line: 1, to_line: 1 })).toContain('1: first line');
    expect((await fails('read_file', { path: 'huge.txt', encoding: 'utf-8', from_line: 5 })).message).toContain('64.0 MB');
    expect((await fails('read_file', { path: 'huge.txt', encoding: 'utf-8' })).message).toContain('1.0 GB');
    expect((await fails('edit_file', { path: 'huge.txt', command: 'insert', insert_line: 0, new_str: 'x' })).message).toContain(
      '1.0 GB',
    );
  });

  it('reads UTF-16 by its byte order mark, and leaves the mark of UTF-8 out', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grün', 'utf16le')]);
    const { text } = openWorkspace(await makeFolder({ 'a.txt': utf16, 'b.txt': '\uFEFFbom' }));
    expect(await text('read_file', { path: 'a.txt' })).toContain('1: grün');
    expect(await text('read_file', { path: 'b.txt' })).toContain('\n1: bom');
  });

  it('[A2.3.sandbox-vision] [A5.mime-files] hands images and PDFs to the model, unless they are too large', async () => {
    const folder = await makeFolder({ 'pic.PNG': png, 'doc.pdf': '%PDF-1.4' });
    await hugeFile(folder, 'huge.png');
    const { call, fails } = openWorkspace(folder);
    expect(await call('read_file', { path: 'pic.PNG' })).toMatchObject({
      content: [
        { type: 'text' },
        { type: 'file', mediaType: 'image/png', filename: 'pic.PNG', data: { type: 'data', data: png.toString('base64') } },
      ],
    });
    expect(await call('read_file', { path: 'doc.pdf' })).toMatchObject({
      content: [{ type: 'text' }, { mediaType: 'application/pdf' }],
    });
    expect((await fails('read_file', { path: 'huge.png' })).message).toContain('1.0 GB');
  });

  it('says what was perhaps meant, and that a folder is one', async () => {
    const { fails } = openWorkspace(await makeFolder({ 'src/main.ts': 'x' }));
    expect((await fails('read_file', { path: 'src/mian.ts' })).message).toContain('Did you mean "src/main.ts"?');
    expect((await fails('read_file', { path: 'src' })).message).toContain('is a folder');
    expect((await fails('read_file', { path: 'gone/deep/x.ts' })).message).toContain('list_files');
  });

  it('reads neither secrets nor what the engine keeps, and reads other folders when the settings say so', async () => {
    const folder = await makeFolder({
      '.env': secret,
      'app/.ENV': secret,
      '.cadre/journal.db': secret,
      '.env.example': 'KEY=',
      'private/a.txt': 'x',
    });
    const usual = openWorkspace(folder);
    for (const path of ['.env', 'app/.ENV', '.cadre/journal.db', './.cadre//journal.db'])
      expect((await usual.fails('read_file', { path })).code).toBe('PATH_REFUSED');
    expect(await usual.text('read_file', { path: '.env.example' })).toContain('KEY=');
    expect(await usual.text('search_files', { query: secret, hidden: true })).toContain('Nothing found');
    expect(await usual.text('list_files', { hidden: true, glob: '**' })).not.toContain('journal');
    const other = openWorkspace(folder, { unreadable: ['private'] });
    expect((await other.fails('read_file', { path: 'private/a.txt' })).code).toBe('PATH_REFUSED');
    expect(await other.text('read_file', { path: '.env' })).toContain(secret);
    expect((await other.fails('read_file', { path: '.cadre/journal.db' })).code).toBe('PATH_REFUSED');
  });
});

describe('list_files', () => {
  it('[A1.8.file-system] shows a tree two levels deep, or all files a glob means; hidden ones on request', async () => {
    const folder = await makeFolder({
      'a.ts': 'x',
      'src/b.ts': '12345',
      'src/deep/er/c.ts': 'x',
      '.hid/d.ts': 'x',
      'node_modules/e.ts': 'x',
      'f.md': '',
    });
    await symlink('a.ts', join(folder, 'link.ts'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const { text, fails } = openWorkspace(folder);
    expect(await text('list_files', {})).toBe(
      'the workspace, 2 levels deep:\na.ts (1 bytes)\nf.md (0 bytes)\nlink.ts (a symbolic link, not followed)\npipe (not a regular file)\nsrc/\n  b.ts (5 bytes)\n  deep/',
    );
    expect(await text('list_files', { glob: '*.ts' })).toBe(
      'the workspace:\na.ts (1 bytes)\nlink.ts (a symbolic link, not followed)\nsrc/b.ts (5 bytes)\nsrc/deep/er/c.ts (1 bytes)',
    );
    expect(await text('list_files', { path: 'src', glob: 'deep/**' })).toBe('src/:\nsrc/deep/er/c.ts (1 bytes)');
    expect(await text('list_files', { hidden: true })).toContain('.hid/');
    expect(await text('list_files', { path: '' })).toBe(await text('list_files', {}));
    expect(await text('list_files', { path: 'a.ts' })).toBe('a.ts (1 bytes)');
    expect(await text('list_files', { glob: '*.py' })).toContain('no file is like *.py');
    expect((await fails('list_files', { path: 'nothing' })).message).toContain('does not exist');
  });

  it('shows at most 500 and says how many more there are', async () => {
    const { text } = openWorkspace(
      await makeFolder(Object.fromEntries(Array.from({ length: 520 }, (_, index) => [`f${index}.txt`, '']))),
    );
    expect(await text('list_files', {})).toContain('… and 20 more');
  });

  it.each([
    ['*.ts', ['a.ts', 'b/c.ts', 'A.TS'], ['a.tsx', 'ats']],
    ['src/**/*.{js,ts}', ['src/a.ts', 'src/b/c/d.js'], ['a.ts', 'src/a.md', 'lib/src/a.ts']],
    ['**/x', ['x', 'a/x', 'a/b/x'], ['ax']],
    ['a?[0-9].txt', ['ab1.txt'], ['a1.txt', 'abc.txt']],
    ['[!a]*.md', ['b.md'], ['a.md']],
    ['a+b(c).{txt', [], ['anything']],
    ['a*a*a*a*a*a*a*a*a*a*b', ['aaaaaaaaaab'], ['a'.repeat(200)]],
  ])('globs: %s', (glob, yes, no) => {
    if (yes.length === 0) return expect(() => compileGlob(glob)).toThrow('brackets');
    const test = compileGlob(glob);
    expect([yes.filter(test), no.filter(test)]).toEqual([yes, []]);
  });
});

describe('search_files', () => {
  it('[A4.4.tools] finds texts and patterns, with lines around them, in the files a glob means', async () => {
    const folder = await makeFolder({
      'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nTWO two\n',
      'b/c.md': 'two too\n',
      'bin.dat': new Uint8Array([0, 1]),
    });
    const { text, fails } = openWorkspace(folder);
    expect(await text('search_files', { query: 'two' })).toBe(
      '3 hits in 2 files\na.txt:2: two\na.txt:7: TWO two\nb/c.md:1: two too\nNot searched: bin.dat (it is a binary file (it has a NUL byte near the start)).',
    );
    expect(await text('search_files', { query: 'two', glob: '*.md' })).toBe('1 hits in 1 files\nb/c.md:1: two too');
    expect(await text('search_files', { query: 'TWO', path: 'a.txt', ignore_case: true, context: 1 })).toBe(
      '2 hits in 1 files\na.txt-1- one\na.txt:2: two\na.txt-3- three\n--\na.txt-6- six\na.txt:7: TWO two',
    );
    expect(await text('search_files', { query: '^t.*o+$', regex: true, path: 'b' })).toContain('b/c.md:1');
    expect(await text('search_files', { query: '.*', path: 'a.txt' })).toContain('Nothing found');
    expect(await text('search_files', { query: 'o', max_results: 1 })).toContain('more than 1 hits');
    expect((await fails('search_files', { query: '(?=x)', regex: true })).message).toContain('RE2');
  });

  it('ends in time on a pattern made to run long, and on a flood of hits', async () => {
    const { text } = openWorkspace(
      await makeFolder({ 'a.txt': `${'a'.repeat(5_000)}!\n`, 'b.txt': `${'hit '.repeat(200)}\n`.repeat(2_000) }),
    );
    expect(await text('search_files', { query: '^(a|a)*$', regex: true })).toContain('Nothing found');
    expect((await text('search_files', { query: 'hit', max_results: 1_000 })).length).toBeLessThan(60_000);
  });
});

describe('the jail around the workspace', () => {
  it('lets none of the hostile paths through, in any tool', async () => {
    const jail = await makeJail();
    const { call } = openWorkspace(jail.root);
    const passed: string[] = [];
    for (const [name, path] of hostilePaths) {
      const requested = path(jail);
      const calls = [
        ['list_files', { path: requested }],
        ['read_file', { path: requested }],
        ['search_files', { path: requested, query: 'SECRET' }],
        ['write_file', { path: requested, content: 'attack' }],
        ['edit_file', { path: requested, command: 'create', file_text: 'attack' }],
        ['edit_file', { path: requested, command: 'str_replace', old_str: 'SECRET', new_str: 'attack' }],
        ['move_file', { from: requested, to: 'stolen.md' }],
        ['move_file', { from: 'inside.md', to: requested }],
        ['delete_file', { path: requested }],
      ] as const;
      for (const [tool, args] of calls) {
        const outcome = await call(tool, args).then(
          () => 'it went through',
          (error: unknown) => (error as { readonly code?: string }).code,
        );
        if (outcome !== 'PATH_REFUSED' && !(name === 'overlong' && outcome === 'TOOL_ARGUMENTS_INVALID'))
          passed.push(`${tool}, ${name}: ${String(outcome)}`);
      }
    }
    expect(passed).toEqual([]);
    const { text } = openWorkspace(jail.outside);
    expect(await text('read_file', { path: 'secret.md' })).toContain(secret);
    expect(await text('list_files', { glob: 'stolen.md' })).toContain('no file');
  });

  it('finds nothing behind links', async () => {
    const { root } = await makeJail();
    const { text } = openWorkspace(root);
    const found = await text('search_files', { query: secret, hidden: true });
    expect(found).toMatch(/^3 hits in 3 files/);
    expect(found).not.toMatch(/linkdir|up\/|procroot|self\//);
  });
});
